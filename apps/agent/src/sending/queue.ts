import type { Job } from './job.ts'

export type ProcessingOrder = 'FIFO' | 'LIFO'

/** What waits to be sent, the next one first: by priority, then by the time of acceptance in the order that is set. */
export class Queue {
  #order: ProcessingOrder = 'FIFO'
  #jobs: Job[] = []

  get size(): number {
    return this.#jobs.length
  }

  add(job: Job): void {
    this.#jobs.splice(this.#place(job), 0, job)
  }

  remove(job: Job): void {
    const at = this.#jobs.indexOf(job)
    if (at >= 0) this.#jobs.splice(at, 1)
  }

  reorder(order: ProcessingOrder): void {
    if (order === this.#order) return
    this.#order = order
    this.#jobs = this.#jobs.sort((a, b) => this.#compare(a, b))
  }

  /** The first that may go. */
  first(mayGo: (job: Job) => boolean): Job | undefined {
    return this.#jobs.find(mayGo)
  }

  [Symbol.iterator](): Iterator<Job> {
    return this.#jobs[Symbol.iterator]()
  }

  #place(job: Job): number {
    let low = 0
    let high = this.#jobs.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#jobs[middle]
      if (other !== undefined && this.#compare(other, job) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(a: Job, b: Job): number {
    // One that has begun is finished first: its receiver has part of it.
    const begun = Number(b.hasBegun) - Number(a.hasBegun)
    if (begun !== 0) return begun
    const byPriority = b.command.priority - a.command.priority
    if (byPriority !== 0) return byPriority
    const byAge = a.acceptedMs - b.acceptedMs || (a.cmdId < b.cmdId ? -1 : 1)
    return this.#order === 'FIFO' ? byAge : -byAge
  }
}
