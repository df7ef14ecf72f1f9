/** How long the first command of the queue is repeated before a later command is tried. */
const PATIENCE_MS = 10_000
/** The time between two attempts of the first command if no other command is queued. */
const RETRY_HEAD_MS = 30_000
/** The time between two attempts of a command that fails while others succeed. */
const RETRY_ALONE_MS = 60_000
/**
 * A command that fails while others succeed is repeated after a pause. The pause is this multiple of the duration of
 * the attempt, because other commands wait during an attempt.
 */
const RETRY_ALONE_FACTOR = 20
/** If a command fails for this long while others succeed, it ends with a failure result. */
const GIVE_UP_MS = 3_600_000
/** How long after an accepted command the API counts as available. */
const EVIDENCE_MS = 60_000

interface Failure {
  readonly since: number
  readonly retryAt: number
  /** True if the API has accepted a later command since the first failure. */
  readonly isOvertaken: boolean
}

/**
 * Commands that the API answered with 5xx, or not in time. Only the answer to another command shows whether the command
 * or the API has a fault. So the first command of the queue is repeated, and after each attempt one later command is
 * tried. If the API accepts a later command, the fault is in the earlier commands, and they no longer block the queue.
 */
export class FailingCommands {
  readonly #failures = new Map<number, Failure>()
  #acceptedAt = Number.NEGATIVE_INFINITY

  /** Returns the numbers of the commands that must not be tried yet. */
  waiting(now: number): number[] {
    return [...this.#failures].filter(([, { retryAt }]) => retryAt > now).map(([number]) => number)
  }

  /** Returns the time of the next attempt of a waiting command. */
  nextAttempt(): number | undefined {
    return this.#failures.size === 0 ? undefined : Math.min(...[...this.#failures.values()].map((each) => each.retryAt))
  }

  /**
   * Must be called when an attempt has failed. Returns `next` to try another command at once, or `pause` to try a
   * command after a pause.
   */
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
    // The pause grows after each failure, so that there is time to try every command in the queue.
    retryIn(Math.max(RETRY_ALONE_MS, 2 * (now - since)))
    const first = this.#failures.get(head)
    if (first !== undefined) this.#failures.set(head, { ...first, retryAt: now })
    return 'pause'
  }

  /** Must be called when the command is finished. */
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
