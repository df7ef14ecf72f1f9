import type { Clock, Timer } from './clock.ts'

/** A clock whose timers are all cancelled by `close`, so that a modem without power does nothing. */
export class ScopedClock implements Clock {
  readonly #clock: Clock
  readonly #timers = new Set<Timer>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  nowMs(): number {
    return this.#clock.nowMs()
  }

  epochMs(): number {
    return this.#clock.epochMs()
  }

  after(delayMs: number, run: () => void): Timer {
    if (this.#closed) return { cancel: () => undefined }
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(scoped)
      if (!this.#closed) run()
    })
    const scoped: Timer = {
      cancel: () => {
        this.#timers.delete(scoped)
        timer.cancel()
      },
    }
    this.#timers.add(scoped)
    return scoped
  }

  close(): void {
    this.#closed = true
    for (const timer of [...this.#timers]) timer.cancel()
  }
}
