import type { Random } from '@smsgw/virtual-modem/random'

/** Choices by chance, all from one seed. */
export class Chance {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  of(probability: number): boolean {
    return this.#random.next() < probability
  }

  below(limit: number): number {
    return this.#random.integer(limit)
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.#random.integer(values.length)] as T
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
}
