import type { Clock, Timer } from '@smsgw/modem/clock'
import type { Lane } from './lane.ts'
import type { SendingSim } from './sim.ts'

/**
 * The lanes of all SIMs, by card. A SIM that is set up has one:
 *
 * none → (its past is read) → serving ⇄ resting, without a network → none, when its modem is gone or set up anew
 *
 * A card that was moved is ready in one modem before the other one has noticed: that one's word is not about it.
 */
export class Lanes {
  readonly #parts: LanesParts
  readonly #lanes = new Map<string, Lane>()
  /** SIMs whose past is being read. */
  readonly #arriving = new Map<string, SendingSim>()
  /** Lanes without a network, as long as it is expected back any moment. */
  readonly #graces = new Map<Lane, Timer>()
  #ready: readonly number[] = []

  constructor(parts: LanesParts) {
    this.#parts = parts
  }

  /** Numbers of the SIMs that messages may be chosen for: asked for each message that waits. */
  get ready(): readonly number[] {
    return this.#ready
  }

  phoneNumberOf(iccid: string | undefined): string | undefined {
    return iccid === undefined ? undefined : this.#lanes.get(iccid)?.sim.phoneNumber
  }

  wake(): void {
    for (const lane of this.#lanes.values()) lane.wake()
  }

  async simReady(sim: SendingSim): Promise<void> {
    const known = this.#lanes.get(sim.iccid)
    if (known?.sim === sim) return this.#served(known)
    if (known !== undefined) this.#end(known)
    this.#arriving.set(sim.iccid, sim)
    const sentMs = await this.#parts.pastOf(sim)
    // Gone, or come again, while the journal was read.
    if (this.#arriving.get(sim.iccid) !== sim) return
    this.#arriving.delete(sim.iccid)
    const lane = this.#parts.newLane(sim, sentMs)
    this.#lanes.set(sim.iccid, lane)
    this.#served(lane)
  }

  simUnserved(sim: SendingSim): void {
    const lane = this.#laneOf(sim)
    if (lane === undefined) this.simGone(sim)
    if (lane === undefined || lane.isResting) return
    lane.rest()
    const grace = this.#parts.clock.after(graceMs, () => {
      this.#graces.delete(lane)
      this.#release(sim)
    })
    this.#graces.set(lane, grace)
  }

  simGone(sim: SendingSim): void {
    const lane = this.#laneOf(sim)
    if (lane !== undefined) this.#end(lane)
    else if (this.#arriving.get(sim.iccid) === sim) this.#arriving.delete(sim.iccid)
    else return
    this.#release(sim)
  }

  stop(): void {
    for (const lane of this.#lanes.values()) lane.end()
    for (const grace of this.#graces.values()) grace.cancel()
    this.#lanes.clear()
    this.#graces.clear()
    this.#arriving.clear()
  }

  #laneOf(sim: SendingSim): Lane | undefined {
    const lane = this.#lanes.get(sim.iccid)
    return lane?.sim === sim ? lane : undefined
  }

  #served(lane: Lane): void {
    this.#endGrace(lane)
    lane.resume()
    this.#count()
    this.wake()
  }

  #end(lane: Lane): void {
    this.#endGrace(lane)
    lane.end()
    this.#lanes.delete(lane.sim.iccid)
    this.#count()
  }

  #endGrace(lane: Lane): void {
    this.#graces.get(lane)?.cancel()
    this.#graces.delete(lane)
  }

  #release(sim: SendingSim): void {
    this.#count()
    this.#parts.onReleased(sim.iccid)
    this.wake()
  }

  #count(): void {
    const expected = [...this.#lanes.values()].filter((lane) => !lane.isResting || this.#graces.has(lane))
    this.#ready = expected.map(({ sim }) => sim.simNumber)
  }
}

export interface LanesParts {
  readonly clock: Clock
  /** When it began messages lately. */
  readonly pastOf: (sim: SendingSim) => Promise<readonly number[]>
  readonly newLane: (sim: SendingSim, sentMs: readonly number[]) => Lane
  /** What was chosen or planned for that SIM may go by another. */
  readonly onReleased: (iccid: string) => void
}

/** A modem that changes its cell is without a network for seconds. */
const graceMs = 10_000
