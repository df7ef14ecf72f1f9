/** The head of the queue is repeated for this time before a later command is tried. */
const PATIENCE_MS = 10_000
/** Time between two attempts of the head if no other command is queued. */
const RETRY_HEAD_MS = 30_000
/** Time between two attempts of a command that fails alone. */
const RETRY_ALONE_MS = 60_000
/** A command that fails alone is repeated after so many times the length of its attempt, because others wait during it. */
const RETRY_ALONE_FACTOR = 20
/** A command that fails alone for this time ends with a failure result. */
const GIVE_UP_MS = 3_600_000
/** An accepted command shows for this time that the API is available. */
const EVIDENCE_MS = 60_000

interface Failure {
  readonly since: number
  readonly retryAt: number
  /** The API has accepted a later command since the first failure. */
  readonly isOvertaken: boolean
}

/**
 * Commands that the API answered with 5xx, or not in time. That does not say whether the command or the API is at fault; the
 * answer to another command does. So the head of the queue is repeated, and each time one later command is tried. When
 * the API accepts a later one, those before it have failed alone, and no longer hold up the queue.
 */
export class FailingCommands {
  readonly #failures = new Map<number, Failure>()
  #acceptedAt = Number.NEGATIVE_INFINITY

  /** The commands whose next attempt is later. */
  waiting(now: number): number[] {
    return [...this.#failures].filter(([, { retryAt }]) => retryAt > now).map(([number]) => number)
  }

  /** The time of the next attempt of a waiting command. */
  nextAttempt(): number | undefined {
    return this.#failures.size === 0 ? undefined : Math.min(...[...this.#failures.values()].map((each) => each.retryAt))
  }

  /** An attempt of a command failed: `next` tries another command at once, `pause` after a pause. */
  fail(number: number, startedAt: number, now: number): 'give-up' | 'next' | 'pause' {
    const { since, isOvertaken } = this.#failures.get(number) ?? { since: startedAt, isOvertaken: false }
    const retryIn = (ms: number) => this.#failures.set(number, { since, isOvertaken, retryAt: now + ms })
    if (isOvertaken) {
      if (now - since >= GIVE_UP_MS && startedAt - this.#acceptedAt <= EVIDENCE_MS) return 'give-up'
      retryIn(Math.max(RETRY_ALONE_MS, RETRY_ALONE_FACTOR * (now - startedAt)))
      return 'next'
    }
    retryIn(0)
    const head = this.#head()
    if (number === head) {
      if (now - since < PATIENCE_MS) return 'pause'
      retryIn(RETRY_HEAD_MS)
      return 'next'
    }
    // Longer each time, so that every command of the queue is tried.
    retryIn(Math.max(RETRY_ALONE_MS, 2 * (now - since)))
    const first = this.#failures.get(head)
    if (first !== undefined) this.#failures.set(head, { ...first, retryAt: now })
    return 'pause'
  }

  /** The command is finished. */
  finish(number: number, isAccepted: boolean, now: number): void {
    this.#failures.delete(number)
    if (!isAccepted) return
    this.#acceptedAt = now
    for (const [other, failure] of this.#failures) {
      if (failure.isOvertaken) {
        if (now - failure.since >= GIVE_UP_MS) this.#failures.set(other, { ...failure, retryAt: now })
      } else if (other < number) this.#failures.set(other, { ...failure, isOvertaken: true, retryAt: now })
      else this.#failures.delete(other)
    }
  }

  #head(): number {
    return Math.min(...[...this.#failures].filter(([, { isOvertaken }]) => !isOvertaken).map(([number]) => number))
  }
}
