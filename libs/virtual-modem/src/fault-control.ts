import { type FaultName, type FaultOptions, faultDescriptions } from './faults.ts'
import type { Random } from './random.ts'

/**
 * The faults of one modem. A fault is set or it is not; each time the modem comes to the place where it could strike,
 * `strike` says whether it does: after `skip` chances let go by, with probability `chance`, at most `times` times.
 */
export class FaultControl {
  readonly #random: Random
  readonly #active = new Map<FaultName, Active>()
  #whenChanged: (() => void) | undefined

  constructor(random: Random, initial: FaultSettings = {}) {
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

  /** The options when the fault strikes here and now. */
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

  /** The options as long as the fault is set: for those that are a state rather than an accident. */
  standing<N extends FaultName>(name: N): FaultOptions<N> | undefined {
    return this.#active.get(name)?.options as FaultOptions<N> | undefined
  }

  /** One listener: the modem, for faults that begin by themselves. */
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
