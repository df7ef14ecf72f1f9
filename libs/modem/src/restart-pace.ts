/**
 * How soon a modem that says that it has restarted is set up again. At once, usually. One that says so again and again
 * falls over what it is asked, or does not mean it: it is given a moment, each time a longer one, until it has been quiet
 * for a while.
 */
export class RestartPace {
  #restarts = 0
  #lastAtMs = Number.NEGATIVE_INFINITY

  /** To be asked once for each restart. */
  pauseMs(nowMs: number): number {
    this.#restarts = nowMs - this.#lastAtMs < quietMs ? this.#restarts + 1 : 1
    const pauseMs =
      this.#restarts <= usualRestarts ? 0 : Math.min(longestPauseMs, 1000 * 2 ** (this.#restarts - usualRestarts - 1))
    this.#lastAtMs = nowMs + pauseMs
    return pauseMs
  }
}

// Some say it twice in one start, and who plugs a modem in does not always succeed at the first try.
const usualRestarts = 3
const quietMs = 60_000
const longestPauseMs = 60_000
