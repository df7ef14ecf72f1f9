import type { Clock, Timer } from '@smsgw/modem/clock'
import type { Memory } from '@smsgw/modem/commands/message-storage'
import type { Incoming } from '@smsgw/modem/incoming-message'
import { crashPoint } from '../crash-point.ts'
import type { Change } from '../journal/change.ts'
import type { ReceivingSim } from './receiving-sim.ts'

interface Task {
  readonly pduId: string
  readonly pdu: string
  readonly slot: { readonly memory: Memory; readonly index: number }
  /** The slot of a copy is not the one that the journal knows. */
  readonly isCopy: boolean
}

/**
 * Empties what is safe from SIM and modem, one SIM independent of the other. What cannot be deleted now is tried again,
 * until it is gone or its SIM is: then it is found again when that comes back.
 */
export class Clearing {
  readonly #clock: Clock
  readonly #keep: (changes: readonly Change[]) => Promise<void>
  readonly #sims = new Map<string, { readonly sim: ReceivingSim; readonly tasks: Task[]; isBusy: boolean }>()
  readonly #timers = new Set<Timer>()

  constructor(clock: Clock, keep: (changes: readonly Change[]) => Promise<void>) {
    this.#clock = clock
    this.#keep = keep
  }

  simReady(sim: ReceivingSim): void {
    this.#sims.set(sim.iccid, { sim, tasks: [], isBusy: false })
  }

  simGone(iccid: string): void {
    this.#sims.delete(iccid)
  }

  clear(sim: ReceivingSim, pduId: string, { source, pdu }: Incoming, isCopy: boolean): void {
    if (source.kind === 'direct') {
      if (source.acknowledge) void sim.acknowledge()
      return
    }
    const lane = this.#sims.get(sim.iccid)
    if (lane?.sim !== sim) return
    lane.tasks.push({ pduId, pdu, slot: { memory: source.memory, index: source.index }, isCopy })
    void this.#work(sim.iccid)
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel()
    this.#sims.clear()
  }

  async #work(iccid: string): Promise<void> {
    const lane = this.#sims.get(iccid)
    if (lane === undefined || lane.isBusy) return
    lane.isBusy = true
    try {
      for (let task = lane.tasks.shift(); task !== undefined; task = lane.tasks.shift()) {
        if (await this.#delete(lane.sim, task)) continue
        lane.tasks.unshift(task)
        this.#later(iccid)
        break
      }
    } finally {
      lane.isBusy = false
    }
  }

  async #delete(sim: ReceivingSim, { pduId, pdu, slot, isCopy }: Task): Promise<boolean> {
    const { kind } = await sim.deleteMessage(slot, pdu)
    if (kind === 'failed' || kind === 'deferred') return false
    crashPoint('inbound-deleted')
    if (!isCopy) await this.#keep([{ kind: 'inbound-slot', pduId, slot: null }])
    return true
  }

  #later(iccid: string): void {
    const timer = this.#clock.after(againMs, () => {
      this.#timers.delete(timer)
      void this.#work(iccid)
    })
    this.#timers.add(timer)
  }
}

const againMs = 5000
