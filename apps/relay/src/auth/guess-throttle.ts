import { addressBlock } from '../limits/address-block.ts'
import { TokenBuckets } from '../limits/token-buckets.ts'

/**
 * Ten wrong guesses at once at one account from one address, then ten a minute: enough for a person with a keyboard, and
 * for a script whose password was just changed.
 */
const PAIR = { capacity: 10, refillMs: 6_000, keys: 10_000 }

/** Of one address over all accounts: a hundred people behind one router, not a list of user names. */
const ADDRESS = { capacity: 100, refillMs: 1_000, keys: 10_000 }

export type Guess =
  | { readonly ok: true /** It was no wrong one. */; readonly giveBack: () => void }
  | { readonly ok: false; readonly retryAfterSeconds: number }

/**
 * Rations wrong guesses, by account and address and by address alone, before anything is computed for them. Each guess
 * takes its share when it begins, else a thousand at once would all pass; a right one gives it back. There is no limit of
 * the account alone: whoever knows a user name could use that to lock its owner out.
 */
export class GuessThrottle {
  readonly #pairs = new TokenBuckets(PAIR)
  readonly #addresses = new TokenBuckets(ADDRESS)
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  take(username: string, address: string): Guess {
    const block = addressBlock(address)
    const pair = `${block} ${username}`
    const addressWaitMs = this.#addresses.take(block, this.#nowMs())
    if (addressWaitMs > 0) return { ok: false, retryAfterSeconds: Math.ceil(addressWaitMs / 1000) }
    const pairWaitMs = this.#pairs.take(pair, this.#nowMs())
    if (pairWaitMs > 0) {
      // What is refused cost nothing, and leaves the address to others behind it.
      this.#addresses.giveBack(block, this.#nowMs())
      return { ok: false, retryAfterSeconds: Math.ceil(pairWaitMs / 1000) }
    }
    return {
      ok: true,
      giveBack: () => {
        this.#addresses.giveBack(block, this.#nowMs())
        this.#pairs.giveBack(pair, this.#nowMs())
      },
    }
  }
}
