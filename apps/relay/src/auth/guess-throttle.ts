import { addressBlock } from '../limits/address-block.ts'
import { TokenBuckets } from '../limits/token-buckets.ts'

/**
 * Per account and address: ten wrong passwords at once, then ten per minute. This is enough for a person who mistypes, and
 * for a script whose password was just changed.
 */
const PAIR = { capacity: 10, refillMs: 6_000, keys: 10_000 }

/** Per address, over all accounts. Enough for a hundred people behind one router, but not for trying a list of user names. */
const ADDRESS = { capacity: 100, refillMs: 1_000, keys: 10_000 }

/**
 * Per password that this installation generated, over all accounts and addresses. Enough for its owner, who has it only once. An
 * outdated one in a script, and one that belongs to another account, cost no more hashes than this.
 */
const GENERATED = { capacity: 10, refillMs: 6_000, keys: 10_000 }

export type Guess =
  | {
      readonly ok: true /** Gives the token back. Must be called if the password was right. */
      readonly giveBack: () => void
    }
  | { readonly ok: false; readonly used: 'address' | 'pair'; readonly retryAfterSeconds: number }

/**
 * Limits wrong passwords by account and address, and by address, before any hash is computed. Each attempt takes a token
 * when it begins, so that a thousand concurrent attempts do not all pass; a right password gives the token back. There is no
 * limit per account alone, because an attacker could use it to lock out the owner.
 */
export class GuessThrottle {
  readonly #pairs = new TokenBuckets(PAIR)
  readonly #addresses = new TokenBuckets(ADDRESS)
  readonly #generated = new TokenBuckets(GENERATED)
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Takes a token of the account and address, but none of the address alone, for an attempt that got a reserved turn. */
  takePair(username: string, address: string): Guess {
    const pair = `${addressBlock(address)} ${username}`
    const waitMs = this.#pairs.take(pair, this.#nowMs())
    if (waitMs > 0) return { ok: false, used: 'pair', retryAfterSeconds: Math.ceil(waitMs / 1000) }
    return { ok: true, giveBack: () => this.#pairs.giveBack(pair, this.#nowMs()) }
  }

  /**
   * Takes a token of a generated password, whose hash is `key`. Others cannot use up the tokens of a password that they do not
   * know. Returns undefined when there is none, else the function that gives it back.
   */
  takeGenerated(key: string): (() => void) | undefined {
    if (this.#generated.take(key, this.#nowMs()) > 0) return undefined
    return () => this.#generated.giveBack(key, this.#nowMs())
  }

  take(username: string, address: string): Guess {
    const block = addressBlock(address)
    const waitMs = this.#addresses.take(block, this.#nowMs())
    if (waitMs > 0) return { ok: false, used: 'address', retryAfterSeconds: Math.ceil(waitMs / 1000) }
    const guess = this.takePair(username, address)
    const giveBack = () => {
      this.#addresses.giveBack(block, this.#nowMs())
      if (guess.ok) guess.giveBack()
    }
    if (guess.ok) return { ok: true, giveBack }
    // A refused attempt costs no hash, so it does not count against others at the same address.
    giveBack()
    return guess
  }
}
