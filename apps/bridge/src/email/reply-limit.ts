/**
 * The largest number of messages per hour for one reply address. A limit is needed, because mails contain the address
 * and may reach anyone.
 */
const MOST_PER_HOUR = 30
const HOUR_MS = 3_600_000

/** Counts the answers to each number. Only numbers with a signed address are counted, so the list stays short. */
export class ReplyLimit {
  readonly #now: () => number
  readonly #answers = new Map<string, number[]>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts an answer before it is sent. Returns false if the limit has been reached. */
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

  /** Must be called if the answer was not sent after all. */
  giveBack(number: string): void {
    this.#answers.get(number)?.pop()
  }
}
