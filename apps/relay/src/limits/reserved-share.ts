import { BoundedMap } from './bounded-map.ts'

/** Interval of turns in a group. */
const TURN_MS = 250
const LONGEST_WAIT_MS = 1_000
const MOST_GROUPS = 1_000
const MOST_NAMES = 200
const MOST_REMEMBERED = 100_000

/**
 * Gives each group that has reached its limit a few turns per second, by name: the name whose last turn is longest ago, or
 * that never had one, comes first. Repeated attempts with the same names take no turns from other names. One attempt per
 * name waits, for a second at most.
 */
export class ReservedShare {
  readonly #groups = new Map<string, Map<string, Waiting>>()
  readonly #turns = new BoundedMap<string, number>(MOST_REMEMBERED)
  #count = 0

  /** Returns false when no turn came in time. */
  turn(group: string, name: string): Promise<boolean> {
    const waiting = this.#groups.get(group) ?? this.#open(group)
    if (!waiting || waiting.size >= MOST_NAMES || waiting.has(name)) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    waiting.set(name, { resolve, turnsLeft: LONGEST_WAIT_MS / TURN_MS })
    return promise
  }

  #open(group: string): Map<string, Waiting> | undefined {
    if (this.#groups.size >= MOST_GROUPS) return undefined
    const waiting = new Map<string, Waiting>()
    this.#groups.set(group, waiting)
    const timer = setInterval(() => {
      this.#letOne(group, waiting)
      if (waiting.size > 0) return
      clearInterval(timer)
      this.#groups.delete(group)
    }, TURN_MS)
    return waiting
  }

  #letOne(group: string, waiting: Map<string, Waiting>): void {
    const lastOf = (name: string) => this.#turns.get(`${group} ${name}`) ?? 0
    const chosen = [...waiting.keys()].reduce((best, name) => (lastOf(name) < lastOf(best) ? name : best))
    this.#turns.set(`${group} ${chosen}`, ++this.#count)
    waiting.get(chosen)?.resolve(true)
    waiting.delete(chosen)
    for (const [name, one] of waiting) {
      one.turnsLeft -= 1
      if (one.turnsLeft > 0) continue
      one.resolve(false)
      waiting.delete(name)
    }
  }
}

interface Waiting {
  readonly resolve: (hasTurn: boolean) => void
  turnsLeft: number
}
