import { BoundedMap } from './bounded-map.ts'

export interface BucketLimits {
  /** Tokens in a full bucket. */
  readonly capacity: number
  /** The time in which a bucket gets one token. */
  readonly refillMs: number
  /** The largest number of buckets in memory. */
  readonly keys: number
}

/** A token bucket per key. An unknown key has a full bucket. */
export class TokenBuckets {
  readonly #buckets: BoundedMap<string, Bucket>
  readonly #limits: BucketLimits

  constructor(limits: BucketLimits) {
    this.#limits = limits
    this.#buckets = new BoundedMap(limits.keys)
  }

  /** Takes a token and returns 0. If there is no token, returns the number of milliseconds until the next token. */
  take(key: string, nowMs: number): number {
    const bucket = this.#filled(key, nowMs)
    const isEmpty = bucket.tokens < 1
    this.#buckets.set(key, isEmpty ? bucket : { ...bucket, tokens: bucket.tokens - 1 })
    return isEmpty ? Math.max(1, Math.ceil((1 - bucket.tokens) * this.#limits.refillMs)) : 0
  }

  giveBack(key: string, nowMs: number): void {
    const bucket = this.#filled(key, nowMs)
    this.#buckets.set(key, { ...bucket, tokens: Math.min(this.#limits.capacity, bucket.tokens + 1) })
  }

  #filled(key: string, nowMs: number): Bucket {
    const { capacity, refillMs } = this.#limits
    const bucket = this.#buckets.get(key)
    if (!bucket) return { tokens: capacity, atMs: nowMs }
    // A clock that was set back adds no tokens.
    const tokens = bucket.tokens + Math.max(0, nowMs - bucket.atMs) / refillMs
    return { tokens: Math.min(capacity, tokens), atMs: nowMs }
  }
}

interface Bucket {
  readonly tokens: number
  readonly atMs: number
}
