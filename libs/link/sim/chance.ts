/** Choices by chance, all from one seed: Mulberry32, 32 bits of state, good enough and quick. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  of(probability: number): boolean {
    return this.#next() < probability
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  between(from: number, to: number): number {
    return from + this.#next() * (to - from)
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  /** One of the keys, the oftener the more it weighs. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0))
    for (const [key, weight] of entries) {
      if (left < weight) return key
      left -= weight
    }
    throw new Error('nothing to choose from')
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
