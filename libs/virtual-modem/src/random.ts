/** The only source of random values, so that the same seed repeats a run. */
export interface SeededRandom {
  /** At least 0, below 1. */
  next(): number
  integer(maxExclusive: number): number
}

/**
 * Mulberry32 has 32 bits of state. It is good enough for splitting bytes and choosing faults, and fast enough for a
 * call on every write.
 */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  return { next, integer: (maxExclusive) => Math.floor(next() * maxExclusive) }
}
