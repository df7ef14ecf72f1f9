import { setTimeout as sleep } from 'node:timers/promises'
import type { ChaosFault } from './faults.ts'
import { type Hits, untilRecovered } from './health.ts'
import { addTime, seconds, type Times } from './report.ts'

/** Injects a random fault every few seconds, and measures how long the affected parts need to recover. */
export class FaultRunner<World> {
  readonly recoveries: Times = new Map()
  readonly #options: FaultRunnerOptions<World>
  readonly #running = new Set<Promise<void>>()
  #isOver = false

  constructor(options: FaultRunnerOptions<World>) {
    this.#options = options
  }

  /** Starts. The result stops the faults, and resolves when everything works again. */
  start(): () => Promise<void> {
    const going = this.#go()
    return async () => {
      this.#isOver = true
      await going
      await Promise.all(this.#running)
    }
  }

  async #go(): Promise<void> {
    const { random, everyMs } = this.#options
    while (!this.#isOver) {
      const work = this.#inject(this.#choose()).finally(() => this.#running.delete(work))
      this.#running.add(work)
      await sleep(everyMs * (0.5 + random()))
    }
  }

  async #inject({ name, inject }: ChaosFault<World>): Promise<void> {
    const { world, hits, failing, random, print } = this.#options
    const names = await inject(world, random)
    if (names.length === 0) return // nothing was injected
    hits.note(names)
    // The time is measured from the end of the last fault, because other faults may follow before the parts have
    // recovered.
    const left = await untilRecovered(failing, names, 180_000, () => hits.lastOn(names))
    const tookMs = performance.now() - hits.lastOn(names)
    addTime(this.recoveries, name, left.length === 0 ? tookMs : Number.POSITIVE_INFINITY)
    const how = left.length === 0 ? `recovered ${seconds(tookMs)} after` : `STILL FAILING: ${left.join(', ')}`
    print(`${name}, ${how}`)
  }

  #choose(): ChaosFault<World> {
    const { faults, random } = this.#options
    let left = random() * faults.reduce((sum, { weight }) => sum + weight, 0)
    for (const fault of faults) {
      left -= fault.weight
      if (left < 0) return fault
    }
    return faults[0] as ChaosFault<World>
  }
}

export interface FaultRunnerOptions<World> {
  readonly world: World
  readonly faults: readonly ChaosFault<World>[]
  readonly hits: Hits
  /** Returns the names of the parts that do not work at the moment. */
  readonly failing: () => Promise<ReadonlySet<string>>
  readonly random: () => number
  /** The average time between two faults. */
  readonly everyMs: number
  readonly print: (line: string) => void
}
