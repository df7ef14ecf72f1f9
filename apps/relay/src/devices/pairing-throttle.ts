import { addressBlock } from '../limits/address-block.ts'
import { TokenBuckets } from '../limits/token-buckets.ts'

/** Limits pairing attempts per address and in total, in addition to the attempts per code. */
export class PairingThrottle {
  readonly #ofAddress = new TokenBuckets({ capacity: 10, refillMs: 6_000, keys: 10_000 })
  readonly #ofAll = new TokenBuckets({ capacity: 200, refillMs: 100, keys: 1 })

  /** Takes an attempt and returns 0, or returns the milliseconds until the next one. */
  take(address: string, nowMs: number): number {
    return this.#ofAddress.take(addressBlock(address), nowMs) || this.#ofAll.take('all', nowMs)
  }
}
