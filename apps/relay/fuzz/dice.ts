/** A random source (mulberry32) that repeats its values for the same seed. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  /** Returns true in one of `times` calls on average. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }
}
