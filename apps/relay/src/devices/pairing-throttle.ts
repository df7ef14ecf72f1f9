import { addressBlock } from '../limits/address-block.ts'
import { TokenBuckets } from '../limits/token-buckets.ts'

/** How often pairing may be tried, beside the tries that each code has: by one address, and by all together. */
export class PairingThrottle {
  readonly #ofAddress = new TokenBuckets({ capacity: 10, refillMs: 6_000, keys: 10_000 })
  readonly #ofAll = new TokenBuckets({ capacity: 200, refillMs: 100, keys: 1 })

  /** Takes one try, or tells how many milliseconds the next one is away: 0 is a success. */
  take(address: string, nowMs: number): number {
    return this.#ofAddress.take(addressBlock(address), nowMs) || this.#ofAll.take('all', nowMs)
  }
}
