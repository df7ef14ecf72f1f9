import type { Clock, Timer } from '../clock.ts'

/**
 * Decides whether announcements of new messages are trusted. Some modems announce a message that does not exist with
 * every answer, so reading it would cause the next announcement, without an end.
 *
 * `trusted` → several useless indications in a short time → `not trusted` for a while: announcements are skipped, and
 * one sweep at the end replaces the skipped ones.
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

  /** Returns true if the announced message should be read. */
  follow(): boolean {
    if (this.#distrust === undefined) return true
    this.#missed = true
    return false
  }

  /** Must be called when an announcement led to no new message. */
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

// Modems may announce a message twice, or a message that is deleted before it is read. Only more than these are
// suspicious.
const mostWasted = 4
const shortTimeMs = 5_000
