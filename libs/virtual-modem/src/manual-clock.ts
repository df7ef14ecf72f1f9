import type { Clock, Timer } from './clock.ts'

/** A clock that moves only by `advance`, for tests and simulations. */
export class ManualClock implements Clock {
  readonly #startEpochMs: number
  #nowMs = 0
  #sequence = 0
  /** A heap, ordered by time. Timers for the same time are in the order in which they were set. */
  readonly #waiting: Alarm[] = []

  constructor(startEpochMs = 1_772_380_800_000) {
    this.#startEpochMs = startEpochMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  epochMs(): number {
    return this.#startEpochMs + this.#nowMs
  }

  after(delayMs: number, run: () => void): Timer {
    const alarm: Alarm = { atMs: this.#nowMs + Math.max(0, delayMs), sequence: ++this.#sequence, run }
    push(this.#waiting, alarm)
    return {
      cancel: () => {
        alarm.run = undefined
      },
    }
  }

  /** Runs, in order, every timer that is due within this time, including timers that other timers set. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs
    for (;;) {
      const next = this.#waiting[0]
      if (next === undefined || next.atMs > untilMs) break
      pop(this.#waiting)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.run?.()
    }
    this.#nowMs = untilMs
  }

  /** Time of the next timer, undefined when none is set. */
  get nextAtMs(): number | undefined {
    while (this.#waiting[0] !== undefined && this.#waiting[0].run === undefined) pop(this.#waiting)
    return this.#waiting[0]?.atMs
  }
}

interface Alarm {
  readonly atMs: number
  readonly sequence: number
  run: (() => void) | undefined
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence)
}

function push(heap: Alarm[], alarm: Alarm): void {
  let at = heap.length
  heap.push(alarm)
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent]
    if (above === undefined || isBefore(above, alarm)) break
    heap[at] = above
    at = parent
  }
  heap[at] = alarm
}

function pop(heap: Alarm[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    const right = left + 1
    const [a, b] = [heap[left], heap[right]]
    if (a === undefined) break
    const [child, smaller] = b !== undefined && isBefore(b, a) ? [right, b] : [left, a]
    if (isBefore(last, smaller)) break
    heap[at] = smaller
    at = child
  }
  heap[at] = last
}
