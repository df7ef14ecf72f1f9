import type { VirtualTime } from '@smsgw/simulation/virtual-time'

/**
 * One or more cores that share one queue. Tasks begin in the order in which they arrive. A fractional number of cores
 * changes the speed of each core.
 */
export class ServiceStation {
  readonly #time: VirtualTime
  readonly #speed: number
  /** When each core has finished its tasks. */
  readonly #freeAtMs: number[]
  /** The longest time for which a task has waited. */
  longestWaitMs = 0
  busyMs = 0

  constructor(time: VirtualTime, cores: number) {
    const count = Math.max(1, Math.floor(cores))
    this.#time = time
    this.#speed = cores / count
    this.#freeAtMs = Array.from({ length: count }, () => 0)
  }

  /** How long a new task would wait. */
  get waitMs(): number {
    return Math.max(0, Math.min(...this.#freeAtMs) - this.#time.nowMs)
  }

  run(costMs: number, done: () => void): void {
    const first = Math.min(...this.#freeAtMs)
    const core = this.#freeAtMs.indexOf(first)
    const beginsAt = Math.max(first, this.#time.nowMs)
    const tookMs = costMs / this.#speed
    this.longestWaitMs = Math.max(this.longestWaitMs, beginsAt - this.#time.nowMs)
    this.busyMs += tookMs
    this.#freeAtMs[core] = beginsAt + tookMs
    this.#time.after(beginsAt + tookMs - this.#time.nowMs, done)
  }
}
