/** Spaces events evenly once more than `atOnce` of them have occurred without a pause. */
export class Pace {
  readonly #everyMs: number
  readonly #aheadMs: number
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(everyMs: number, atOnce: number) {
    this.#everyMs = everyMs
    this.#aheadMs = everyMs * atOnce
  }

  /** Returns for how many milliseconds the next event has to wait. */
  next(nowMs: number): number {
    this.#lastMs = Math.max(this.#lastMs, nowMs - this.#aheadMs) + this.#everyMs
    return Math.max(0, this.#lastMs - nowMs)
  }
}
