import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { type OperatorChoice, type OperatorSelection, selectOperator } from '../commands/network/operator-selection.ts'
import { type Executor, runQuery } from '../commands/query.ts'

/**
 * Keeps the configured operator: selects it in each session, because most modems lose the selection when they restart.
 * Repeats a failed selection after a while. Without a configured operator, does not change the setting of the modem.
 */
export class OperatorLock {
  readonly #executor: Executor
  readonly #clock: Clock
  readonly #onSelection: (selection: OperatorSelection) => void
  #choice: OperatorChoice | undefined
  #session: Cancellation | undefined

  constructor(executor: Executor, clock: Clock, onSelection: (selection: OperatorSelection) => void) {
    this.#executor = executor
    this.#clock = clock
    this.#onSelection = onSelection
  }

  use(choice: OperatorChoice): void {
    const isNew = JSON.stringify(choice) !== JSON.stringify(this.#choice)
    this.#choice = choice
    if (isNew && this.#session !== undefined) void this.#select(choice, this.#session)
  }

  begin(session: Cancellation): void {
    this.#session = session
    session.onCancelled(() => {
      this.#session = undefined
    })
    if (this.#choice !== undefined) void this.#select(this.#choice, session)
  }

  async #select(choice: OperatorChoice, session: Cancellation): Promise<void> {
    const selection = await selectOperator((query) => runQuery(this.#executor, query, session), choice)
    if (session.cancelled || choice !== this.#choice) return
    this.#onSelection(selection)
    if (selection.kind === 'kept' || selection.kind === 'selected') return
    const timer = this.#clock.after(retryMs, () => {
      stopListening()
      if (choice === this.#choice) void this.#select(choice, session)
    })
    const stopListening = session.onCancelled(() => timer.cancel())
  }
}

const retryMs = 600_000
