import type { Clock, Timer } from '@smsgw/modem/clock'

/** The monotonic clock of the process. */
export const monotonicClock: Clock = {
  nowMs: () => performance.now(),
  after,
}

function after(delayMs: number, run: () => void): Timer {
  if (delayMs > maxDelayMs) {
    let timer = after(maxDelayMs, () => {
      timer = after(delayMs - maxDelayMs, run)
    })
    return { cancel: () => timer.cancel() }
  }
  const timer = delayMs <= 0 ? undefined : setTimeout(run, delayMs)
  // A delay of 0 means "after pending reads". A timer of 1 ms would not guarantee this order.
  const immediate = delayMs <= 0 ? setImmediate(run) : undefined
  return {
    cancel() {
      clearTimeout(timer)
      clearImmediate(immediate)
    },
  }
}

/** The longest delay of a timer. Node.js fires timers with longer delays at once. */
const maxDelayMs = 2 ** 31 - 1
