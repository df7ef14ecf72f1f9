import type { Job, JobPart } from './job.ts'

/**
 * Parts that are at a modem, or were, and whose result is not on disk yet: with a full disk that takes minutes. Until then
 * the journal does not tell which reference they have, and a report about them must not be taken for one about others.
 */
export class UnwrittenResults {
  readonly #all = new Set<{ readonly job: Job; readonly part: JobPart }>()

  /** To be called when it is written. */
  add(job: Job, part: JobPart): () => void {
    const unwritten = { job, part }
    this.#all.add(unwritten)
    return () => this.#all.delete(unwritten)
  }

  some(fits: (job: Job, part: JobPart) => boolean): boolean {
    for (const { job, part } of this.#all) if (fits(job, part)) return true
    return false
  }
}
