import type { Clock, Timer } from '@smsgw/modem/clock'
import type { Memory } from '@smsgw/modem/commands/message-storage'
import type { Incoming } from '@smsgw/modem/incoming-message'
import { crashPoint } from '../crash-point.ts'
import type { Slot } from '../journal/change.ts'
import type { Keep } from '../journal/keep-writing.ts'
import type { ReceivingSim } from './receiving-sim.ts'

interface Task {
  readonly pduId: string
  readonly pdu: string
  readonly slot: { readonly memory: Memory; readonly index: number }
  /** The slot of a copy is not the one that the journal knows. */
  readonly isCopy: boolean
  failures: number
  notBeforeMs: number
}

interface Lane {
  /** Undefined while it is away: what is to be deleted from it is remembered, for nobody tells of it again. */
  sim: ReceivingSim | undefined
  readonly tasks: Map<string, Task>
  isBusy: boolean
  timer: Timer | undefined
}

/**
 * Empties what is safe from SIM and modem, one SIM independent of the other, and one slot of the other slots. What cannot
 * be deleted now is tried again, until it is gone.
 */
export class Clearing {
  readonly #clock: Clock
  readonly #keep: Keep
  readonly #onTrouble: (error: unknown) => void
  readonly #lanes = new Map<string, Lane>()
  /** When which content was deleted from which slot: what was read before that is no other message. */
  readonly #deletedAtMs = new Map<string, number>()
  #isStopped = false

  constructor(clock: Clock, keep: Keep, onTrouble: (error: unknown) => void) {
    this.#clock = clock
    this.#keep = keep
    this.#onTrouble = onTrouble
  }

  simReady(sim: ReceivingSim): void {
    const lane = this.#laneOf(sim.iccid)
    lane.sim = sim
    for (const task of lane.tasks.values()) task.notBeforeMs = 0
    void this.#work(lane)
  }

  simGone(sim: ReceivingSim): void {
    const lane = this.#laneOf(sim.iccid)
    // A card that was moved is ready in one modem before the other one has noticed.
    if (lane.sim !== sim) return
    lane.sim = undefined
    lane.timer?.cancel()
  }

  clear(sim: ReceivingSim, pduId: string, { source, pdu }: Incoming, isCopy: boolean): void {
    if (source.kind === 'direct') {
      // Not acknowledged, it comes again.
      if (source.acknowledge) sim.acknowledge().catch(this.#onTrouble)
      return
    }
    const lane = this.#laneOf(sim.iccid)
    const slot = { memory: source.memory, index: source.index }
    // The latest is what lies there.
    lane.tasks.set(nameOf(slot), { pduId, pdu, slot, isCopy, failures: 0, notBeforeMs: 0 })
    void this.#work(lane)
  }

  /** Whether what was read then has been deleted since. */
  wasDeletedSince(iccid: string, slot: Slot, pdu: string, readAtMs: number): boolean {
    return (this.#deletedAtMs.get(contentOf(iccid, slot, pdu)) ?? Number.NEGATIVE_INFINITY) >= readAtMs
  }

  /** Nothing that was read before now is waiting any more. */
  forgetDeleted(): void {
    this.#deletedAtMs.clear()
  }

  stop(): void {
    this.#isStopped = true
    for (const lane of this.#lanes.values()) lane.timer?.cancel()
  }

  #laneOf(iccid: string): Lane {
    const lane = this.#lanes.get(iccid) ?? { sim: undefined, tasks: new Map(), isBusy: false, timer: undefined }
    this.#lanes.set(iccid, lane)
    return lane
  }

  async #work(lane: Lane): Promise<void> {
    if (lane.isBusy) return
    lane.isBusy = true
    lane.timer?.cancel()
    try {
      for (let next = this.#due(lane); next !== undefined; next = this.#due(lane)) {
        const [name, task] = next
        const isGone = await this.#delete(lane.sim as ReceivingSim, task)
        if (isGone && lane.tasks.get(name) === task) lane.tasks.delete(name)
      }
    } catch (error) {
      // The journal refused it.
      this.#onTrouble(error)
    } finally {
      lane.isBusy = false
    }
    this.#later(lane)
  }

  #due({ sim, tasks }: Lane): [string, Task] | undefined {
    if (sim === undefined || this.#isStopped) return undefined
    const nowMs = this.#clock.nowMs()
    for (const each of tasks) if (each[1].notBeforeMs <= nowMs) return each
    return undefined
  }

  async #delete(sim: ReceivingSim, task: Task): Promise<boolean> {
    const { pduId, pdu, slot, isCopy } = task
    task.failures += 1
    task.notBeforeMs = this.#clock.nowMs() + Math.min(longestPauseMs, againMs * 2 ** Math.min(task.failures - 1, 10))
    const { kind } = await sim.deleteMessage(slot, pdu).catch((error: unknown) => {
      this.#onTrouble(error)
      return { kind: 'failed' as const }
    })
    if (kind === 'failed' || kind === 'deferred') return false
    crashPoint('inbound-deleted')
    this.#deletedAtMs.set(contentOf(sim.iccid, slot, pdu), this.#clock.nowMs())
    if (!isCopy) await this.#keep([{ kind: 'inbound-slot', pduId, slot: null }])
    return true
  }

  #later(lane: Lane): void {
    if (lane.sim === undefined || lane.tasks.size === 0 || this.#isStopped) return
    const dueMs = Math.min(...[...lane.tasks.values()].map(({ notBeforeMs }) => notBeforeMs))
    lane.timer = this.#clock.after(Math.max(againMs, dueMs - this.#clock.nowMs()), () => void this.#work(lane))
  }
}

function nameOf({ memory, index }: Slot): string {
  return `${memory} ${index}`
}

function contentOf(iccid: string, slot: Slot, pdu: string): string {
  return `${iccid} ${nameOf(slot)} ${pdu}`
}

const againMs = 5000
const longestPauseMs = 5 * 60_000
