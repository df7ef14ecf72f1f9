/**
 * A clock that jumps from one timer to the next. Timers that are due at the same time run in the order in which they
 * were set.
 */
export class VirtualTime {
  nowMs = 0
  steps = 0
  readonly #heap: Due[] = []
  #asked = 0

  after(ms: number, happen: () => void): void {
    this.#asked += 1
    this.#push({ atMs: this.nowMs + ms, order: this.#asked, happen })
  }

  /** Runs timers up to `untilMs`, or until `isEnough` returns true. */
  pass(untilMs: number, isEnough: () => boolean = () => false): void {
    for (;;) {
      const next = this.#heap[0]
      if (next === undefined || next.atMs > untilMs) break
      this.#run(next)
      if (isEnough()) return
    }
    this.nowMs = untilMs
  }

  /** Runs the next timer. Returns false if there is none. */
  next(): boolean {
    const next = this.#heap[0]
    if (next !== undefined) this.#run(next)
    return next !== undefined
  }

  #run(due: Due): void {
    this.#pop()
    this.nowMs = due.atMs
    this.steps += 1
    due.happen()
  }

  #push(due: Due): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(due)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(due, heap[parent] as Due)) break
      heap[at] = heap[parent] as Due
      at = parent
    }
    heap[at] = due
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop() as Due
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child += 1
      if (!isBefore(heap[child] as Due, last)) break
      heap[at] = heap[child] as Due
      at = child
    }
    heap[at] = last
  }
}

interface Due {
  readonly atMs: number
  readonly order: number
  readonly happen: () => void
}

function isBefore(one: Due, other: Due): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
}
