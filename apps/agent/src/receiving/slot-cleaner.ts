import { crashPoint } from '@smsgw/daemon/crash-point'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { Memory } from '@smsgw/modem/commands/messages/message-storage'
import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import type { Deletion } from '@smsgw/modem/receive/message-slots'
import type { Slot } from '../journal/change.ts'
import type { Keep } from '../journal/keep-writing.ts'

/** A SIM that receives messages, while its modem is set up. */
export interface ReceivingSim {
  readonly simNumber: number
  readonly iccid: string
  /** Undefined if neither the SIM nor the configuration contains the number. */
  readonly phoneNumber: string | undefined
  /** The number of deletions that the modem carries out together. */
  readonly deletionsAtOnce: number
  deleteMessage(slot: { readonly memory: Memory; readonly index: number }, pdu: string): Promise<Deletion>
  /** Acknowledges a message that the modem does not store. */
  acknowledge(): Promise<boolean>
}

interface Task {
  readonly pduId: string
  readonly pdu: string
  readonly slot: { readonly memory: Memory; readonly index: number }
  /** True for a copy, because the journal contains the slot of the original. */
  readonly isCopy: boolean
  failures: number
  notBeforeMs: number
}

interface DeletionQueue {
  /**
   * Undefined while the SIM is disconnected. The tasks for its messages are kept, because the modem does not announce
   * these messages again.
   */
  sim: ReceivingSim | undefined
  readonly tasks: Map<string, Task>
  isBusy: boolean
  timer: Timer | undefined
}

/**
 * Deletes journaled messages from SIMs and modems. SIMs work independently. A failed deletion is retried until it
 * succeeds.
 */
export class SlotCleaner {
  readonly #clock: Clock
  readonly #keep: Keep
  readonly #onError: (error: unknown) => void
  readonly #queues = new Map<string, DeletionQueue>()
  /**
   * The time of each deletion, by slot and content. If the same content was read before that time, it belongs to the
   * deleted message.
   */
  readonly #deletedAtMs = new Map<string, number>()
  #isStopped = false

  constructor(clock: Clock, keep: Keep, onError: (error: unknown) => void) {
    this.#clock = clock
    this.#keep = keep
    this.#onError = onError
  }

  simReady(sim: ReceivingSim): void {
    const queue = this.#queueOf(sim.iccid)
    queue.sim = sim
    for (const task of queue.tasks.values()) task.notBeforeMs = 0
    void this.#work(queue)
  }

  simGone(sim: ReceivingSim): void {
    const queue = this.#queueOf(sim.iccid)
    // Ignores reports of the old modem, because a moved card may already be ready in its new modem.
    if (queue.sim !== sim) return
    queue.sim = undefined
    queue.timer?.cancel()
  }

  clear(sim: ReceivingSim, pduId: string, { source, pdu }: Incoming, isCopy: boolean): void {
    if (source.kind === 'direct') {
      // Acknowledges the message, because the network repeats unacknowledged messages.
      if (source.acknowledge) sim.acknowledge().catch(this.#onError)
      return
    }
    const queue = this.#queueOf(sim.iccid)
    const slot = { memory: source.memory, index: source.index }
    // Replaces an earlier task for the slot, because the slot now contains this message.
    queue.tasks.set(nameOf(slot), { pduId, pdu, slot, isCopy, failures: 0, notBeforeMs: 0 })
    void this.#work(queue)
  }

  /** True if the message that was read at this time has been deleted since then. */
  wasDeletedSince(iccid: string, slot: Slot, pdu: string, readAtMs: number): boolean {
    return (this.#deletedAtMs.get(contentOf(iccid, slot, pdu)) ?? Number.NEGATIVE_INFINITY) >= readAtMs
  }

  /** Forgets the deletions, because everything read so far has been processed. */
  forgetDeleted(): void {
    this.#deletedAtMs.clear()
  }

  stop(): void {
    this.#isStopped = true
    for (const queue of this.#queues.values()) queue.timer?.cancel()
  }

  #queueOf(iccid: string): DeletionQueue {
    const queue = this.#queues.get(iccid) ?? { sim: undefined, tasks: new Map(), isBusy: false, timer: undefined }
    this.#queues.set(iccid, queue)
    return queue
  }

  async #work(queue: DeletionQueue): Promise<void> {
    if (queue.isBusy) return
    queue.isBusy = true
    queue.timer?.cancel()
    for (let due = this.#due(queue); due.length > 0; due = this.#due(queue)) {
      const sim = queue.sim as ReceivingSim
      await Promise.all(
        due.map(async ([name, task]) => {
          // This can fail only if the journal refuses the change.
          const isGone = await this.#delete(sim, task).catch(this.#onError)
          if (isGone && queue.tasks.get(name) === task) queue.tasks.delete(name)
        }),
      )
    }
    queue.isBusy = false
    this.#later(queue)
  }

  #due({ sim, tasks }: DeletionQueue): readonly [string, Task][] {
    if (sim === undefined || this.#isStopped) return []
    const nowMs = this.#clock.nowMs()
    const due: [string, Task][] = []
    for (const each of tasks) {
      if (each[1].notBeforeMs <= nowMs) due.push(each)
      if (due.length === sim.deletionsAtOnce) break
    }
    return due
  }

  async #delete(sim: ReceivingSim, task: Task): Promise<boolean> {
    const { pduId, pdu, slot, isCopy } = task
    task.failures += 1
    task.notBeforeMs = this.#clock.nowMs() + Math.min(longestPauseMs, retryMs * 2 ** Math.min(task.failures - 1, 10))
    const { kind } = await sim.deleteMessage(slot, pdu).catch((error: unknown) => {
      this.#onError(error)
      return { kind: 'failed' as const }
    })
    if (kind === 'failed' || kind === 'deferred') return false
    crashPoint('inbound-deleted')
    this.#deletedAtMs.set(contentOf(sim.iccid, slot, pdu), this.#clock.nowMs())
    if (!isCopy) await this.#keep([{ kind: 'inbound-slot', pduId, slot: null }])
    return true
  }

  #later(queue: DeletionQueue): void {
    if (queue.sim === undefined || queue.tasks.size === 0 || this.#isStopped) return
    const dueMs = Math.min(...[...queue.tasks.values()].map(({ notBeforeMs }) => notBeforeMs))
    queue.timer = this.#clock.after(Math.max(retryMs, dueMs - this.#clock.nowMs()), () => void this.#work(queue))
  }
}

function nameOf({ memory, index }: Slot): string {
  return `${memory} ${index}`
}

function contentOf(iccid: string, slot: Slot, pdu: string): string {
  return `${iccid} ${nameOf(slot)} ${pdu}`
}

const retryMs = 5000
const longestPauseMs = 5 * 60_000
