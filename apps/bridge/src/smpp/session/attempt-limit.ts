/** The number of failed logins within the window after which an address must wait. */
const MOST_FAILURES = 5
const WINDOW_MS = 60_000
/**
 * The number of addresses that are remembered. More addresses cannot fail within the window, because connections are
 * also limited.
 */
const MOST_ADDRESSES = 10_000

/** Counts failed logins by address, so that a password cannot be guessed. */
export class AttemptLimit {
  readonly #now: () => number
  readonly #failures = new Map<string, { count: number; until: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  isBlocked(address: string): boolean {
    const entry = this.#failures.get(address)
    return entry !== undefined && entry.count >= MOST_FAILURES && entry.until > this.#now()
  }

  addFailure(address: string): void {
    const now = this.#now()
    const entry = this.#failures.get(address)
    if (entry !== undefined && entry.until > now) {
      entry.count += 1
      return
    }
    this.#failures.delete(address)
    for (const [oldest, { until }] of this.#failures) {
      if (until > now && this.#failures.size < MOST_ADDRESSES) break
      this.#failures.delete(oldest)
    }
    this.#failures.set(address, { count: 1, until: now + WINDOW_MS })
  }
}
