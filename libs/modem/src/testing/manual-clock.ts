import type { Clock, Timer } from '../clock.ts'

/** A clock that moves only when a test advances it. */
export class ManualClock implements Clock {
  #nowMs = 0
  #sequence = 0
  #timers: Pending[] = []

  nowMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): Timer {
    const pending: Pending = { atMs: this.#nowMs + delayMs, sequence: this.#sequence++, run }
    this.#timers.push(pending)
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((timer) => timer !== pending)
      },
    }
  }

  /** The number of timers; an idle dialogue has none. */
  get pending(): number {
    return this.#timers.length
  }

  /** Advances the clock, runs due timers, and settles promises after each timer. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await promisesSettled()
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) {
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#nowMs = next.atMs
      next.run()
      await promisesSettled()
    }
    this.#nowMs = untilMs
  }

  /** Advances the time as if the process had been suspended: timers are late, and no timer runs in between. */
  sleep(ms: number): void {
    this.#nowMs += ms
  }

  /** Runs the timers that are due now, once. */
  runDue(): void {
    const due = this.#timers.filter((timer) => timer.atMs <= this.#nowMs)
    for (const timer of due) {
      if (!this.#timers.includes(timer)) continue
      this.#timers = this.#timers.filter((other) => other !== timer)
      timer.run()
    }
  }

  #next(untilMs: number): Pending | undefined {
    let next: Pending | undefined
    for (const timer of this.#timers) {
      if (timer.atMs > untilMs) continue
      if (!next || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.sequence < next.sequence)) next = timer
    }
    return next
  }
}

interface Pending {
  readonly atMs: number
  readonly sequence: number
  readonly run: () => void
}

/** Waits until all promise chains have settled, because `process.nextTick` runs its function only then. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
