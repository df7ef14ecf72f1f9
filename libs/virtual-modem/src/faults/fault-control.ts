import type { SeededRandom } from '../random.ts'
import { type FaultName, type FaultOptions, faultDescriptions } from './fault-catalogue.ts'

/**
 * The faults that are set on one modem. At each opportunity, `strike` decides whether the fault occurs: after the first
 * `skip` opportunities, with probability `chance`, at most `times` times.
 */
export class FaultControl {
  readonly #random: SeededRandom
  readonly #active = new Map<FaultName, Active>()
  #whenChanged: (() => void) | undefined

  constructor(random: SeededRandom, initial: FaultSettings = {}) {
    this.#random = random
    for (const name of Object.keys(initial) as FaultName[]) this.set(name, initial[name])
  }

  set<N extends FaultName>(name: N, options: Partial<FaultOptions<N>> = {}): void {
    this.#active.set(name, { options: { ...faultDescriptions[name].options, ...options }, met: 0, struck: 0 })
    this.#whenChanged?.()
  }

  clear(name?: FaultName): void {
    if (name === undefined) this.#active.clear()
    else this.#active.delete(name)
    this.#whenChanged?.()
  }

  list(): ActiveFault[] {
    return [...this.#active].map(([name, { options, struck }]) => ({ name, options, struck }))
  }

  /** Returns the options if the fault occurs now. */
  strike<N extends FaultName>(name: N): FaultOptions<N> | undefined {
    if (this.#active.size === 0) return undefined
    const active = this.#active.get(name)
    if (active === undefined) return undefined
    const { chance, times, skip } = active.options
    active.met += 1
    if (active.met <= skip || (times > 0 && active.struck >= times)) return undefined
    if (chance < 1 && this.#random.next() >= chance) return undefined
    active.struck += 1
    return active.options as FaultOptions<N>
  }

  /** For a fault that is a state, not an event: returns its options if the fault is set, otherwise undefined. */
  standing<N extends FaultName>(name: N): FaultOptions<N> | undefined {
    return this.#active.get(name)?.options as FaultOptions<N> | undefined
  }

  /**
   * Sets the only function that is called when the faults change. With it, the modem starts the faults that occur
   * without a command.
   */
  whenChanged(run: () => void): void {
    this.#whenChanged = run
  }
}

export type FaultSettings = { readonly [N in FaultName]?: Partial<FaultOptions<N>> }

export interface ActiveFault {
  readonly name: FaultName
  readonly options: Readonly<Record<string, number | string | boolean>>
  readonly struck: number
}

interface Active {
  readonly options: FaultOptions<FaultName>
  met: number
  struck: number
}
