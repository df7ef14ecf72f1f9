/**
 * Runs a few tasks at a time and lets a bounded number wait. Whoever waits is picked in turn by group, so that one group
 * with many tasks holds up the others by one task at most; urgent ones come first of all. When no more can wait, a task
 * of the largest group has to go: the newcomer, if its group is the largest.
 */
export class FairQueue {
  readonly #slots: number
  readonly #places: number
  #running = 0
  #waiting = 0
  /** In the order of their turn. */
  readonly #groups = new Map<string, Waiting[]>()

  constructor({ slots, places }: { readonly slots: number; readonly places: number }) {
    this.#slots = slots
    this.#places = places
  }

  /** The result of the task; undefined when there was no place for it. */
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
    let largest = group
    for (const [name, waiting] of this.#groups) {
      if (name !== URGENT && waiting.length > (this.#groups.get(largest)?.length ?? 0)) largest = name
    }
    if (largest === group) return false
    const dropped = this.#groups.get(largest)?.pop()
    if (!dropped) return false
    if (this.#groups.get(largest)?.length === 0) this.#groups.delete(largest)
    this.#waiting -= 1
    dropped(false)
    return true
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

/** The group that comes first. */
export const URGENT = 'urgent'

/** Called with true to begin, with false when it has lost its place. */
type Waiting = (begins: boolean) => void
