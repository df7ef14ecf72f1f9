import type { Clock } from '@smsgw/modem/clock'

/** Limits how often a modem repeats a warning, because each warning is also sent to the relay. */
export class ModemWarnings {
  readonly #clock: Clock
  readonly #onWarning: (problem: string) => void
  readonly #warned = new Set<string>()
  readonly #hourlyWarnedAtMs = new Map<string, number>()

  constructor(clock: Clock, onWarning: (problem: string) => void) {
    this.#clock = clock
    this.#onWarning = onWarning
  }

  once(problem: string): void {
    if (this.#warned.has(problem)) return
    this.#warned.add(problem)
    this.#onWarning(problem)
  }

  /** Warns at most once per hour, for checks that run every minute. */
  hourly(problem: string): void {
    const nowMs = this.#clock.nowMs()
    if (nowMs - (this.#hourlyWarnedAtMs.get(problem) ?? Number.NEGATIVE_INFINITY) < hourMs) return
    this.#hourlyWarnedAtMs.set(problem, nowMs)
    this.#onWarning(problem)
  }

  cardChanged(before: string | undefined): void {
    if (before === undefined) return
    this.#onWarning(
      `SIM changed (the previous ICCID ended in ${before.slice(-4)}): check the number and PIN configured for this SIM slot`,
    )
  }
}

const hourMs = 3_600_000
