import type { Clock, Timer } from '../clock.ts'

/**
 * Decides whether announcements of new messages are trusted. Some modems announce a missing message with every answer,
 * so reading that message would cause the next announcement, in an endless loop.
 *
 * After several useless indications in a short time, announcements are not trusted for a while: they are skipped, and
 * one sweep at the end replaces them.
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

  /** Returns true if the announced message should be read now. */
  follow(): boolean {
    if (this.#distrust === undefined) return true
    this.#missed = true
    return false
  }

  /** Must be called when no new message was found after an announcement. */
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

// The number of useless announcements that ends the trust. A few are normal: a modem may announce a message twice, or a
// message that is deleted before it is read.
const mostWasted = 4
const shortTimeMs = 5_000
