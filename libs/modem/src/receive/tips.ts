import type { Clock, Timer } from '../clock.ts'

/**
 * Whether indications of new messages are trusted. Some modems indicate a message that does not exist with every
 * answer, so following each indication would cause the next one, forever.
 *
 * `trusted` → several useless indications in a short time → `not trusted` for a while: indications are skipped, and if
 * there were any, one sweep at the end makes up for all of them.
 */
export class Tips {
  readonly #clock: Clock
  readonly #onMakeUp: () => void
  /** The times of the last useless indications. */
  #wastedAtMs: number[] = []
  #distrust: Timer | undefined
  #missed = false

  constructor(clock: Clock, onMakeUp: () => void) {
    this.#clock = clock
    this.#onMakeUp = onMakeUp
  }

  /** Whether to follow this indication. */
  follow(): boolean {
    if (this.#distrust === undefined) return true
    this.#missed = true
    return false
  }

  /** An indication led to no new message. */
  wasted(): void {
    const nowMs = this.#clock.nowMs()
    this.#wastedAtMs = [...this.#wastedAtMs, nowMs].slice(-mostWasted)
    const [first = nowMs] = this.#wastedAtMs
    if (this.#distrust === undefined && this.#wastedAtMs.length === mostWasted && nowMs - first < shortTimeMs) {
      this.#distrust = this.#clock.after(shortTimeMs, () => this.#trustAgain())
    }
  }

  forget(): void {
    this.#distrust?.cancel()
    this.#distrust = undefined
    this.#missed = false
    this.#wastedAtMs = []
  }

  #trustAgain(): void {
    const missed = this.#missed
    this.forget()
    if (missed) this.#onMakeUp()
  }
}

// It is normal to indicate a message twice, or to indicate a message that is deleted before it is read.
const mostWasted = 4
const shortTimeMs = 5_000
