import type { Clock, Timer } from '../clock.ts'

/**
 * The deadline of the exchange in flight.
 *
 * Each line of an answer moves the deadline. The timer is not restarted: when it fires, it checks whether the deadline
 * was moved. A timer that fires late does not prove that the answer is missing, because the process may have been
 * suspended while the answer waited in the port. Therefore the port is read once more before the deadline counts as
 * passed.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #isFlowing: (nowMs: number) => boolean
  readonly #onPassed: () => void
  #timer: Timer | undefined
  #timerAtMs = 0
  #atMs = 0
  #graces = 0

  /** `isFlowing` returns true if a line has begun to arrive. The deadline then waits for the end of that line. */
  constructor(clock: Clock, isFlowing: (nowMs: number) => boolean, onPassed: () => void) {
    this.#clock = clock
    this.#isFlowing = isFlowing
    this.#onPassed = onPassed
  }

  /** Counts from now and replaces the previous deadline. */
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

/** A line counts as arriving for this long after its last byte. */
export const graceMs = 250
// The deadline waits at most five seconds, because otherwise noise without a line end could delay it forever.
const mostGraces = 20

/** Releases held lines after a pause. Reads the port first, because the timer may fire late (see `Deadline`). */
export class HeldLines {
  readonly #clock: Clock
  readonly #heldUntilMs: () => number | undefined
  readonly #release: () => void
  #waiting = false

  /** `heldUntilMs`: undefined if no line is held; may return a later time than before. */
  constructor(clock: Clock, heldUntilMs: () => number | undefined, release: () => void) {
    this.#clock = clock
    this.#heldUntilMs = heldUntilMs
    this.#release = release
  }

  /** Must be called after each read. */
  watch(): void {
    const untilMs = this.#heldUntilMs()
    if (untilMs === undefined || this.#waiting) return
    this.#waiting = true
    const look = () => {
      this.#waiting = false
      if (this.#clock.nowMs() >= (this.#heldUntilMs() ?? Number.POSITIVE_INFINITY)) this.#release()
      else this.watch()
    }
    this.#clock.after(Math.max(0, untilMs - this.#clock.nowMs()), () => this.#clock.after(0, look))
  }
}
