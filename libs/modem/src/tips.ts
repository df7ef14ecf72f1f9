import type { Clock, Timer } from './clock.ts'

/**
 * How far a modem is believed when it tells of something to be looked at. Some tell of messages that are not there, with
 * every answer: following each tip would be a question whose answer is the next tip, for ever.
 *
 * `trusted` → several tips in a short time led to nothing → `not trusted` for a while: tips are noted and not followed,
 * and if there were any, one look at the end makes up for all of them.
 */
export class Tips {
  readonly #clock: Clock
  readonly #onMakeUp: () => void
  /** When tips led to nothing, the last few of them. */
  #wastedAtMs: number[] = []
  #distrust: Timer | undefined
  #missed = false

  constructor(clock: Clock, onMakeUp: () => void) {
    this.#clock = clock
    this.#onMakeUp = onMakeUp
  }

  /** Whether this tip is to be followed. */
  follow(): boolean {
    if (this.#distrust === undefined) return true
    this.#missed = true
    return false
  }

  /** A tip led to nothing new. */
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

// A message told of twice, or told of and deleted before it was looked at, is nothing unusual.
const mostWasted = 4
const shortTimeMs = 5_000
