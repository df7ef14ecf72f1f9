import type { Clock, Timer } from './clock.ts'

/** What the caller is asked when the prompt is there, before a byte of the PDU is written. */
export type AskBeforePdu = (withdrawal: Withdrawal) => Promise<'go' | 'abort'>

/** To look at last of all, before anything is written down: once `cancelled`, `go` no longer sends anything. */
export interface Withdrawal {
  readonly cancelled: boolean
}

/**
 * The caller's word on one attempt to send.
 *
 * `unasked` → `asked` the caller decides, and may be writing down that the PDU is about to go → `over`. An outcome that
 * comes while it is `asked` withdraws the question and waits for the caller to be through: told at once, `not-sent` could
 * be on the disk before the note that it belongs to.
 */
export class BeforePdu {
  readonly #ask: AskBeforePdu
  readonly #withdrawal = { cancelled: false }
  #state: 'unasked' | 'asked' | 'over' = 'unasked'
  #whenOver: (() => void) | undefined

  constructor(ask: AskBeforePdu) {
    this.#ask = ask
  }

  async ask(): Promise<'go' | 'abort' | 'failed'> {
    this.#state = 'asked'
    try {
      return await this.#ask(this.#withdrawal)
    } catch {
      // The caller knows why; here it only matters that nobody is accountable for this PDU.
      return 'failed'
    } finally {
      this.#state = 'over'
      this.#whenOver?.()
    }
  }

  /** Runs `then` at once, unless the caller is still being asked: then when that is over, within a limit. */
  withdraw(clock: Clock, then: () => void): void {
    this.#withdrawal.cancelled = true
    if (this.#state !== 'asked') {
      then()
      return
    }
    let limit: Timer | undefined
    this.#whenOver = () => {
      this.#whenOver = undefined
      limit?.cancel()
      then()
    }
    limit = clock.after(withdrawalLimitMs, () => this.#whenOver?.())
  }
}

// A disk that is slow takes a second or two; one that hangs must not hide an outcome for ever.
const withdrawalLimitMs = 5_000
