import type { Clock, Timer } from '../clock.ts'

/**
 * Asks the caller whether to send the message. Called before a byte of the PDU is written: when the prompt has arrived,
 * or when the command was written.
 */
export type AskBeforePdu = (withdrawal: Withdrawal) => Promise<'go' | 'abort'>

/** `failed`: the hook threw an error. */
export type PduDecision = 'go' | 'abort' | 'failed'

/**
 * The hook must check `cancelled` immediately before it stores a record. After `cancelled` is true, `go` does not send
 * the message any more.
 */
export interface Withdrawal {
  readonly cancelled: boolean
}

/**
 * The caller's decision on one attempt to send.
 *
 * States: `unasked` → `asked` → `over`. In `asked`, the caller decides, and may be storing a record of the attempt. If
 * the outcome becomes known in this state, the question is withdrawn, and the outcome is reported when the caller has
 * finished. Otherwise `not-sent` could be stored before the caller's record.
 */
export class BeforePdu {
  readonly #ask: AskBeforePdu
  readonly #withdrawal = { cancelled: false }
  #state: 'unasked' | 'asked' | 'over' = 'unasked'
  #whenOver: (() => void) | undefined

  constructor(ask: AskBeforePdu) {
    this.#ask = ask
  }

  async ask(): Promise<PduDecision> {
    this.#state = 'asked'
    try {
      return await this.#ask(this.#withdrawal)
    } catch {
      // The caller handles the reason of the error. For the driver, the error only means that the PDU must not be
      // written.
      return 'failed'
    } finally {
      this.#state = 'over'
      this.#whenOver?.()
    }
  }

  /**
   * Runs `then` at once. If the caller is still deciding, runs `then` when the caller has finished or a time limit has
   * passed.
   */
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

// A slow disk takes a second or two, but a disk that hangs must not delay the outcome forever.
const withdrawalLimitMs = 5_000
