/**
 * Random choices that are determined by one seed. Uses Mulberry32, which has 32 bits of state, is fast and is good
 * enough for tests.
 */
export class RandomChoices {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns true with this probability. */
  happens(probability: number): boolean {
    return this.#next() < probability
  }

  /** Returns a whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  /** Returns a number from `from` up to, but not including, `to`. */
  between(from: number, to: number): number {
    return from + this.#next() * (to - from)
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  /** Returns one of the keys, each with a probability proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0))
    for (const [key, weight] of entries) {
      if (left < weight) return key
      left -= weight
    }
    throw new Error('cannot choose from an empty set of weights')
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
