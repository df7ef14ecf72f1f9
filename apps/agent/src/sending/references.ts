/** References of long messages: another for each one to the same number, so that a phone never joins parts of two. */
export class References {
  readonly #chance: () => number
  readonly #last = new Map<string, number>()

  constructor(chance: () => number) {
    this.#chance = chance
  }

  next(destination: string): number {
    const last = this.#last.get(destination)
    const next = last === undefined ? Math.floor(this.#chance() * 256) : (last + 1) % 256
    this.#last.delete(destination)
    this.#last.set(destination, next)
    const [oldest] = this.#last.keys()
    if (this.#last.size > mostNumbers && oldest !== undefined) this.#last.delete(oldest)
    return next
  }
}

const mostNumbers = 10_000
