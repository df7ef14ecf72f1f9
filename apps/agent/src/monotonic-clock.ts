import type { Clock, Timer } from '@smsgw/modem/clock'

/** The machine's clock that nobody sets. */
export const monotonicClock: Clock = {
  nowMs: () => performance.now(),
  after,
}

function after(delayMs: number, run: () => void): Timer {
  if (delayMs > longestMs) {
    let timer = after(longestMs, () => {
      timer = after(delayMs - longestMs, run)
    })
    return { cancel: () => timer.cancel() }
  }
  const timer = delayMs <= 0 ? undefined : setTimeout(run, delayMs)
  // A zero delay means "after what is already waiting to be read", which a 1 ms timer would not promise.
  const immediate = delayMs <= 0 ? setImmediate(run) : undefined
  return {
    cancel() {
      clearTimeout(timer)
      clearImmediate(immediate)
    },
  }
}

/** A timer that is set for longer fires at once. */
const longestMs = 2 ** 31 - 1
