import { BoundedMap } from '../../limits/bounded-map.ts'

const WINDOW_MS = 300_000
const LEAST_ATTEMPTS = 10
const FAILED_PART = 0.7
const MOST_RECEIVERS = 100_000

/** How long a receiver is left alone that failed so often, by how often it was before, in a row. */
export function breakerPauseMs(pauses: number): number {
  return Math.min(600_000, 30_000 * 2 ** Math.min(pauses, 10))
}

/**
 * Tells when a receiver fails so often that it is better left alone for a while: of at least ten attempts in five minutes
 * seven in ten. What has not been sent by then only comes later: it has used none of its attempts.
 */
export class Breakers {
  readonly #windows = new BoundedMap<bigint, Window>(MOST_RECEIVERS)

  /** True: that was one failure too many. The count begins anew. */
  opensAfter(receiver: bigint, isWell: boolean, nowMs: number): boolean {
    const window = this.#windowOf(receiver, nowMs)
    window.attempts += 1
    if (!isWell) window.failures += 1
    const opens = !isWell && window.attempts >= LEAST_ATTEMPTS && window.failures >= window.attempts * FAILED_PART
    if (opens) this.forget(receiver)
    return opens
  }

  /** What was held against it is. */
  forget(receiver: bigint): void {
    this.#windows.delete(receiver)
  }

  #windowOf(receiver: bigint, nowMs: number): Window {
    const known = this.#windows.get(receiver)
    if (known !== undefined && nowMs - known.sinceMs < WINDOW_MS) return known
    const window = { sinceMs: nowMs, attempts: 0, failures: 0 }
    this.#windows.set(receiver, window)
    return window
  }
}

interface Window {
  readonly sinceMs: number
  attempts: number
  failures: number
}
