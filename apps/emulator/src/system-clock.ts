import { performance } from 'node:perf_hooks'
import type { Clock } from '@smsgw/virtual-modem/clock'

/** Real time. No delay is a turn of the event loop: a timer of 0 would take a millisecond, most of an instant answer. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
  after(delayMs, run) {
    if (delayMs <= 0) {
      const immediate = setImmediate(run)
      return { cancel: () => clearImmediate(immediate) }
    }
    const timer = setTimeout(run, Math.min(delayMs, LONGEST_TIMEOUT_MS))
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Beyond it setTimeout fires at once. 24 days: nothing here waits longer. */
const LONGEST_TIMEOUT_MS = 0x7fff_ffff
