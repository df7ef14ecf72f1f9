export type SimSelection = 'OSDefault' | 'RoundRobin' | 'Random'

/** Which of the SIMs that are ready a message without a wish goes out by. */
export class SimChoice {
  selection: SimSelection = 'OSDefault'
  readonly #chance: () => number
  #last = 0

  constructor(chance: () => number) {
    this.#chance = chance
  }

  choose(ready: readonly number[]): number | undefined {
    const sorted = [...ready].sort((a, b) => a - b)
    switch (this.selection) {
      case 'OSDefault':
        return sorted[0]
      case 'RoundRobin': {
        const next = sorted.find((simNumber) => simNumber > this.#last) ?? sorted[0]
        if (next !== undefined) this.#last = next
        return next
      }
      case 'Random':
        return sorted[Math.floor(this.#chance() * sorted.length)]
    }
  }
}
