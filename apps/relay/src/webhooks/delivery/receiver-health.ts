import type { Logbook } from '../../logs/logbook.ts'
import type { Attempted } from './attempt-delivery.ts'
import { type Breakers, breakerPauseMs } from './breakers.ts'
import type { Settler } from './settler.ts'
import type { Receiver } from './take-receivers-statement.ts'

export interface ReceiverHealthNeeds {
  readonly breakers: Breakers
  readonly settler: Pick<Settler, 'noteHealth' | 'noteGone'>
  readonly logbook: Logbook
}

/**
 * What attempts say of a receiver, while a worker serves it. *Usual*; or *on trial*, after it was left alone for its
 * failures, until one attempt goes well. A failure on trial, one too many, a wish for a pause or a farewell end the serving:
 * it is *left alone*, and what is still in flight changes nothing about that.
 */
export class ReceiverHealth {
  readonly #needs: ReceiverHealthNeeds
  #isOnTrial: boolean
  #isLeftAlone = false
  #mayBeIll: boolean

  constructor(needs: ReceiverHealthNeeds, { pauses, isIll }: Receiver) {
    this.#needs = needs
    this.#isOnTrial = pauses > 0
    this.#mayBeIll = isIll
  }

  get isOnTrial(): boolean {
    return this.#isOnTrial
  }

  get isLeftAlone(): boolean {
    return this.#isLeftAlone
  }

  /** It was moved to another address. */
  forget(receiver: Receiver): void {
    this.#needs.breakers.forget(receiver.key)
  }

  note(receiver: Receiver, { attempt, verdict, error }: Attempted): void {
    const isWell = attempt.state === 'delivered'
    const isMended = isWell && this.#isOnTrial
    const isOpening = !this.#isLeftAlone && this.#isOneTooMany(receiver, isWell) && !verdict.isGone
    const pauseMs = Math.max(verdict.askedPauseMs, isOpening ? breakerPauseMs(receiver.pauses) : 0)
    if (!isWell || this.#mayBeIll)
      this.#needs.settler.noteHealth(receiver, { isWell, isMended, isOpening, pauseMs }, error)
    this.#mayBeIll = !isWell
    if (verdict.isGone) this.#needs.settler.noteGone(receiver)
    if (isMended) this.#tell(receiver, 'INFO', 'a webhook works again')
    if (isMended) this.#isOnTrial = false
    if (isOpening && receiver.pauses === 0)
      this.#tell(receiver, 'WARN', `a webhook fails, and is tried less often until it works: ${error}`)
    this.#isLeftAlone ||= pauseMs > 0 || verdict.isGone
  }

  /** On trial there is only one attempt. */
  #isOneTooMany({ key }: Receiver, isWell: boolean): boolean {
    const opens = this.#needs.breakers.opensAfter(key, isWell, performance.now())
    return opens || (this.#isOnTrial && !isWell)
  }

  #tell({ accountId, id }: Receiver, priority: 'INFO' | 'WARN', message: string): void {
    this.#needs.logbook.write({ accountId, module: 'webhooks', priority, message, context: { webhookId: id } })
  }
}
