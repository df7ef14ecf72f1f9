import { addressBlock } from '../limits/address-block.ts'
import { type BucketLimits, TokenBuckets } from '../limits/token-buckets.ts'

/** Rate limits for new connections, in total and per address. A site may have its whole fleet behind one address. */
export class ArrivalLimits {
  readonly #ofAddress = new TokenBuckets({ capacity: 200, refillMs: 50, keys: 10_000 })
  readonly #ofAll: TokenBuckets

  constructor(ofAll: Pick<BucketLimits, 'capacity' | 'refillMs'> = OF_ONE_RELAY) {
    this.#ofAll = new TokenBuckets({ ...ofAll, keys: 1 })
  }

  /**
   * Counts a connection and returns 0. If the limit is reached, returns the number of milliseconds until the next
   * connection is allowed.
   */
  take(address: string, nowMs: number): number {
    return this.#ofAddress.take(addressBlock(address), nowMs) || this.#ofAll.take('all', nowMs)
  }
}

/**
 * The limit for all addresses. It allows as many connections as one relay holds, because all agents of another relay
 * may reconnect here at once when that relay stops.
 */
const OF_ONE_RELAY = { capacity: 5_000, refillMs: 5 }

/**
 * The largest number of agents that wait for admission. A busy database can admit this number within the 45 s for which
 * an agent waits. Other agents have to reconnect.
 */
export const MOST_ARRIVING = 2_000
/**
 * How many agents are admitted at the same time. Most of them wait for reads that they share, so this number exceeds
 * the number of database connections. It allows about 400 admissions a second. If it were much larger, the results of
 * one read would keep the event loop busy for too long.
 */
export const ADMITTED_AT_ONCE = 32
