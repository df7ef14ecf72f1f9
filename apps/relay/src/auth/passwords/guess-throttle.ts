import { addressBlock } from '../../limits/address-block.ts'
import { TokenBuckets } from '../../limits/token-buckets.ts'

/**
 * Per account and address: ten wrong passwords at once, then ten per minute. These limits are enough for a person who
 * mistypes, and for a script whose password was just changed.
 */
const PAIR = { capacity: 10, refillMs: 6_000, keys: 10_000 }

/**
 * Per address, over all accounts. The limit allows a hundred people behind one router, but not guesses with a list of
 * usernames.
 */
const ADDRESS = { capacity: 100, refillMs: 1_000, keys: 10_000 }

/**
 * Per password that this installation generated, over all accounts and addresses. The limit is sufficient for the owner
 * of the password. It also limits how many hashes the relay computes for an outdated password in a script, and for a
 * password of another account.
 */
const GENERATED = { capacity: 10, refillMs: 6_000, keys: 10_000 }

export type Guess =
  | {
      readonly ok: true /** Gives the token back to the limit. Must be called if the password was right. */
      readonly giveBack: () => void
    }
  | { readonly ok: false; readonly used: 'address' | 'pair'; readonly retryAfterSeconds: number }

/**
 * Limits wrong passwords before any hash is computed. There is a limit for each pair of account and address, and a
 * limit for each address. Each attempt takes a token of the limit when it begins, so that a thousand concurrent
 * attempts are not all allowed. A right password gives the token back. No limit counts all attempts at an account,
 * because an attacker could use it to lock out the owner.
 */
export class GuessThrottle {
  readonly #pairs = new TokenBuckets(PAIR)
  readonly #addresses = new TokenBuckets(ADDRESS)
  readonly #generated = new TokenBuckets(GENERATED)
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Takes a token for an attempt that uses the reserved check of its address. The attempt counts against the limit of
   * the account and address, but not against the limit of the address.
   */
  takePair(username: string, address: string): Guess {
    const pair = `${addressBlock(address)} ${username}`
    const waitMs = this.#pairs.take(pair, this.#nowMs())
    if (waitMs > 0) return { ok: false, used: 'pair', retryAfterSeconds: Math.ceil(waitMs / 1000) }
    return { ok: true, giveBack: () => this.#pairs.giveBack(pair, this.#nowMs()) }
  }

  /**
   * Takes a token of the limit of a generated password, whose hash is `key`. Nobody can use up the tokens of a password
   * without knowing it. Returns the function that gives the token back, or undefined if no token is left.
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
    // No password is hashed for a refused attempt, so the attempt does not use up the limit of its address.
    giveBack()
    return guess
  }
}
