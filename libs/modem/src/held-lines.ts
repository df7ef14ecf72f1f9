import type { Clock } from './clock.ts'

/**
 * Waits for the pause behind which lines that were held back are let go. A timer that fires late proves nothing (see
 * `Deadline`): what the port holds by then is read first.
 */
export class HeldLines {
  readonly #clock: Clock
  readonly #heldUntilMs: () => number | undefined
  readonly #release: () => void
  #waiting = false

  /** `heldUntilMs`: undefined when nothing is held; may move away meanwhile. */
  constructor(clock: Clock, heldUntilMs: () => number | undefined, release: () => void) {
    this.#clock = clock
    this.#heldUntilMs = heldUntilMs
    this.#release = release
  }

  /** To be called when something has been read. */
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
