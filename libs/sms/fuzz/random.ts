/** sfc32 by Chris Doty-Humphrey: small, fast, and the same numbers for the same seed on every machine. */
export class FuzzRandom {
  #a = 0x9e3779b9
  #b = 0x243f6a88
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#c = seed | 0
    for (let round = 0; round < 12; round++) this.#next()
  }

  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * limit)
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** Returns true in one of `inTimes` calls on average. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0
  }

  oneOf<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('nothing to choose from')
    return values[this.below(values.length)] as T
  }

  octets(length: number): Uint8Array {
    const octets = new Uint8Array(length)
    for (let at = 0; at < length; at++) octets[at] = this.#next() & 0xff
    return octets
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }
}
