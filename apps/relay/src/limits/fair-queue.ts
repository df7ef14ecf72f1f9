/**
 * Runs a few tasks at a time and queues a limited number. The groups alternate, so that a group with many tasks delays
 * another group by at most one task. Urgent tasks come first. When the queue is full, a task of the largest group is
 * dropped. If that is the group of the new task, the new task is dropped.
 */
export class FairQueue {
  readonly #slots: number
  readonly #places: number
  #running = 0
  #waiting = 0
  /** The groups, in the order in which their next tasks run. */
  readonly #groups = new Map<string, Waiting[]>()

  constructor({ slots, places }: { readonly slots: number; readonly places: number }) {
    this.#slots = slots
    this.#places = places
  }

  /** Returns the result of the task, or undefined when it was dropped. */
  async run<Result>(group: string, task: () => Promise<Result>): Promise<Result | undefined> {
    if (!(await this.#turn(group))) return undefined
    try {
      return await task()
    } finally {
      this.#running -= 1
      this.#next()
    }
  }

  #turn(group: string): Promise<boolean> {
    if (this.#running < this.#slots) {
      this.#running += 1
      return Promise.resolve(true)
    }
    if (this.#waiting >= this.#places && !this.#makeRoomFor(group)) return Promise.resolve(false)
    return new Promise((begin) => {
      const waiting = this.#groups.get(group)
      if (waiting) waiting.push(begin)
      else this.#groups.set(group, [begin])
      this.#waiting += 1
    })
  }

  #makeRoomFor(group: string): boolean {
    // A task of any other group makes room for an urgent task.
    let largest = group === URGENT ? undefined : group
    for (const [name, waiting] of this.#groups) {
      if (name !== URGENT && waiting.length > this.#lengthOf(largest)) largest = name
    }
    if (largest === undefined || largest === group) return false
    const dropped = this.#groups.get(largest)?.pop()
    if (!dropped) return false
    if (this.#groups.get(largest)?.length === 0) this.#groups.delete(largest)
    this.#waiting -= 1
    dropped(false)
    return true
  }

  #lengthOf(group: string | undefined): number {
    return group === undefined ? 0 : (this.#groups.get(group)?.length ?? 0)
  }

  #next(): void {
    const group = this.#groups.has(URGENT) ? URGENT : this.#groups.keys().next().value
    const waiting = group === undefined ? undefined : this.#groups.get(group)
    const begin = waiting?.shift()
    if (group === undefined || !waiting || !begin) return
    this.#groups.delete(group)
    if (waiting.length > 0) this.#groups.set(group, waiting)
    this.#waiting -= 1
    this.#running += 1
    begin(true)
  }
}

/** The group whose tasks run first. */
export const URGENT = 'urgent'

/** Called with true to start the task, or with false when the task is dropped. */
type Waiting = (begins: boolean) => void
