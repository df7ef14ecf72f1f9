/** The members of a manual clock that `timePasser` uses. */
export interface VirtualClock {
  nowMs(): number
  /** When the next timer is due. */
  readonly nextAtMs: number | undefined
  advance(ms: number): void
}

export type PassTime = (clock: VirtualClock, mostMs: number, isEnough?: () => boolean) => Promise<boolean>

/**
 * Makes a function that advances a clock from timer to timer until `isEnough` returns true or the time has passed.
 * Between two timers it waits for `process.nextTick`, which runs its function only when all promises have settled. This
 * wait is much shorter than an iteration of the event loop.
 */
export function timePasser(nextTick: (run: () => void) => void): PassTime {
  return async (clock, mostMs, isEnough = () => false) => {
    const untilMs = clock.nowMs() + mostMs
    for (;;) {
      await new Promise<void>((resolve) => nextTick(resolve))
      if (isEnough()) return true
      const dueMs = clock.nextAtMs
      if (dueMs === undefined || dueMs > untilMs) break
      clock.advance(dueMs - clock.nowMs())
    }
    clock.advance(untilMs - clock.nowMs())
    return isEnough()
  }
}
