import type { Clock, Timer } from './clock.ts'

/**
 * The deadline of the exchange in flight.
 *
 * It is moved with every line of an answer, so the timer is left alone when the deadline moves away from it, and looks
 * again when it fires. A timer that fires late proves nothing: the process may have slept while the answer waits in the
 * port. Hence the deadline passes in two steps, and what the port holds is read in between.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #isFlowing: (nowMs: number) => boolean
  readonly #onPassed: () => void
  #timer: Timer | undefined
  #timerAtMs = 0
  #atMs = 0
  #graces = 0

  /** `isFlowing`: a line has begun to come in, so its end is waited for. */
  constructor(clock: Clock, isFlowing: (nowMs: number) => boolean, onPassed: () => void) {
    this.#clock = clock
    this.#isFlowing = isFlowing
    this.#onPassed = onPassed
  }

  /** Counts from now and replaces the one before. */
  set(afterMs: number): void {
    this.#graces = 0
    this.#atMs = this.#clock.nowMs() + afterMs
    if (this.#timer === undefined || this.#timerAtMs > this.#atMs) this.#arm(afterMs, () => this.#fired())
  }

  clear(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(afterMs: number, then: () => void): void {
    this.#timer?.cancel()
    this.#timerAtMs = this.#clock.nowMs() + afterMs
    this.#timer = this.#clock.after(afterMs, () => {
      this.#timer = undefined
      then()
    })
  }

  #fired(): void {
    if (!this.#moved()) this.#arm(0, () => this.#confirmed())
  }

  #confirmed(): void {
    if (this.#moved()) return
    if (this.#graces < mostGraces && this.#isFlowing(this.#clock.nowMs())) {
      this.#graces += 1
      this.#atMs = this.#clock.nowMs() + graceMs
      this.#arm(graceMs, () => this.#fired())
      return
    }
    this.#onPassed()
  }

  #moved(): boolean {
    const leftMs = this.#atMs - this.#clock.nowMs()
    if (leftMs <= 0) return false
    this.#arm(leftMs, () => this.#fired())
    return true
  }
}

/** A line counts as flowing while its last byte is younger than this. */
export const graceMs = 250
// Five seconds in all: noise without a line end must not hold up a deadline for ever.
const mostGraces = 20
