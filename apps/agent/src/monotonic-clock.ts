import type { Clock } from '@smsgw/modem/clock'

/** The machine's clock that nobody sets. */
export const monotonicClock: Clock = {
  nowMs: () => performance.now(),
  after(delayMs, run) {
    const timer = delayMs <= 0 ? undefined : setTimeout(run, delayMs)
    // A zero delay means "after what is already waiting to be read", which a 1 ms timer would not promise.
    const immediate = delayMs <= 0 ? setImmediate(run) : undefined
    return {
      cancel() {
        clearTimeout(timer)
        clearImmediate(immediate)
      },
    }
  },
}
