/**
 * Spaces events evenly. After a pause, `atOnce` events need not wait. An event that does not wait delays the next event
 * by at most one interval.
 */
export class EvenPace {
  readonly #everyMs: number
  readonly #aheadMs: number
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(everyMs: number, atOnce: number) {
    this.#everyMs = everyMs
    this.#aheadMs = everyMs * atOnce
  }

  /** Returns the milliseconds for which the next event has to wait. */
  next(nowMs: number): number {
    const nextMs = Math.max(this.#lastMs, nowMs - this.#aheadMs) + this.#everyMs
    this.#lastMs = Math.min(nextMs, nowMs + this.#everyMs)
    return Math.max(0, this.#lastMs - nowMs)
  }
}
