/** An address for answers is in mails, so it may reach anyone. It sends at most so many messages an hour. */
const MOST_PER_HOUR = 30
const HOUR_MS = 3_600_000

/** Counts the answers to each number. Only numbers with a signed address are counted, so the list stays short. */
export class ReplyLimit {
  readonly #now: () => number
  readonly #answers = new Map<string, number[]>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts an answer before it is sent. Returns false if the limit is reached. */
  take(number: string): boolean {
    const now = this.#now()
    for (const [each, times] of this.#answers) {
      const recent = times.filter((at) => at > now - HOUR_MS)
      if (recent.length === 0) this.#answers.delete(each)
      else this.#answers.set(each, recent)
    }
    const times = this.#answers.get(number) ?? []
    if (times.length >= MOST_PER_HOUR) return false
    this.#answers.set(number, [...times, now])
    return true
  }

  /** The answer was not sent. */
  giveBack(number: string): void {
    this.#answers.get(number)?.pop()
  }
}
