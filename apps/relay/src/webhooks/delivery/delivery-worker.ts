import type { Log } from '@smsgw/daemon/log'
import type { Database } from '../../store/database.ts'
import { isDatabaseAway } from '../../store/database-away.ts'
import type { Outbox } from '../outbox.ts'
import { Breakers } from './breakers.ts'
import type { GuardedClient } from './guarded-client.ts'
import { readDue } from './read-due-statement.ts'
import { ReceiverLane, type ReceiverLaneNeeds } from './receiver-lane.ts'
import { Rounds } from './rounds.ts'
import { Settler, type SettlerNeeds } from './settler.ts'
import { shareRoom } from './share-room.ts'
import { type Receiver, takeReceivers } from './take-receivers-statement.ts'
import { WorkerPresence } from './worker-presence.ts'

export interface DeliveryWorkerNeeds extends Omit<ReceiverLaneNeeds, 'settler' | 'breakers'>, SettlerNeeds {
  readonly database: Database
  /** Of the same database. */
  readonly url: string
  readonly client: GuardedClient
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Served at a time, each over five connections at most. */
  readonly mostReceivers?: number
}

/**
 * Sends what the outbox holds. Every replica has one; each receiver is served by one of them at a time, in a lane of its
 * own, so that a slow or dead one delays nobody else. What a killed worker served is served by another at once, under the
 * same ids.
 *
 * A round takes receivers that nobody serves and makes sure of those that it has, when it was woken and five times a
 * second, and reads what is due for them.
 */
export class DeliveryWorker implements Outbox {
  readonly #needs: DeliveryWorkerNeeds
  readonly #laneNeeds: ReceiverLaneNeeds
  readonly #settler: Settler
  readonly #presence: WorkerPresence
  readonly #rounds: Rounds
  readonly #polling: NodeJS.Timeout
  readonly #lanes = new Map<bigint, ReceiverLane>()
  /** Further receivers are looked for behind this one, so that each has its turn where there are too many. */
  #after = 0n
  #isWoken = false
  #isAway = false
  #stopping: Promise<void> | undefined
  #allDone: (() => void) | undefined

  constructor(needs: DeliveryWorkerNeeds) {
    this.#needs = needs
    this.#settler = new Settler(needs)
    this.#laneNeeds = { ...needs, settler: this.#settler, breakers: new Breakers() }
    this.#rounds = new Rounds(() => this.#round())
    this.#polling = setInterval(() => this.wake(), POLL_MS)
    this.#presence = new WorkerPresence(needs, () => this.#presenceChanged())
  }

  wake(): void {
    this.#isWoken = true
    this.#rounds.ask()
  }

  /** Takes nothing more; what is under way is finished and written down, and the rest is left to others. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const giveUpAt = performance.now() + FINISH_MS
    clearInterval(this.#polling)
    await this.#rounds.stop()
    for (const lane of this.#lanes.values()) lane.end()
    if (this.#lanes.size > 0) await this.#lanesDone(giveUpAt - performance.now())
    await this.#needs.client.close()
    await this.#settler.finish(Math.max(LAST_WRITE_MS, giveUpAt - performance.now()))
    await this.#presence.close()
  }

  #lanesDone(patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const impatience = setTimeout(resolve, Math.max(1, patienceMs))
    this.#allDone = () => {
      clearTimeout(impatience)
      resolve()
    }
    return promise
  }

  async #round(): Promise<void> {
    const worker = this.#presence.number
    if (worker === undefined) return
    const isWoken = this.#isWoken
    this.#isWoken = false
    try {
      if (isWoken) await this.#take(worker)
      await this.#feed(worker)
      if (this.#isAway) this.#needs.log.info('webhooks go on')
      this.#isAway = false
    } catch (error) {
      if (!isDatabaseAway(error)) this.#needs.log.error({ err: error }, 'webhooks could not be looked for')
      else if (!this.#isAway) this.#needs.log.warn({ err: error }, 'webhooks wait: the database is away')
      this.#isAway ||= isDatabaseAway(error)
    }
  }

  async #take(worker: number): Promise<void> {
    const takenAtMs = performance.now()
    const room = (this.#needs.mostReceivers ?? MOST_RECEIVERS) - this.#lanes.size
    const limit = Math.max(0, Math.min(RECEIVERS_AT_ONCE, room))
    // The one that has been served for longest makes room for those that wait for their turn.
    if (room <= 0) this.#lanes.values().next().value?.end()
    const renewed = [...this.#lanes].filter(([, lane]) => lane.needsRenewal(takenAtMs))
    const receivers = await takeReceivers(this.#needs.database, {
      worker,
      leaseSeconds: LEASE_SECONDS,
      busy: [...this.#lanes.keys()],
      renewed: renewed.map(([key]) => key),
      after: this.#after,
      limit,
    })
    const taken = new Map(receivers.map((receiver) => [receiver.key, receiver]))
    for (const [key, lane] of renewed) {
      const receiver = taken.get(key)
      // Deleted, disabled, paused, or served by somebody else.
      if (receiver === undefined) lane.end()
      else lane.renew(receiver, takenAtMs)
      taken.delete(key)
    }
    // What was taken by a worker that nobody sees any more is anybody's.
    if (worker === this.#presence.number)
      for (const receiver of taken.values()) this.#openLane(worker, receiver, takenAtMs)
    this.#turn([...taken.keys()], limit)
  }

  #openLane(worker: number, receiver: Receiver, takenAtMs: number): void {
    const lane = new ReceiverLane(this.#laneNeeds, {
      worker,
      receiver,
      takenAtMs,
      onHungry: () => this.#rounds.ask(),
      onDone: () => {
        this.#lanes.delete(receiver.key)
        if (this.#lanes.size === 0) this.#allDone?.()
        // What was written between the last look at it and its release woke somebody who found it taken.
        this.wake()
      },
    })
    this.#lanes.set(receiver.key, lane)
  }

  /** All around and from the start again, as often as there are more than are taken at once. */
  #turn(taken: readonly bigint[], limit: number): void {
    const before = this.#after
    if (limit > 0) this.#after = taken.length < limit ? 0n : taken.reduce((most, key) => (key > most ? key : most))
    if (this.#after !== 0n || before !== 0n) this.wake()
  }

  async #feed(worker: number): Promise<void> {
    const hungry = [...this.#lanes].filter(([, lane]) => lane.wants > 0)
    if (hungry.length === 0) return
    const heldByAll = [...this.#lanes.values()].reduce((sum, lane) => sum + lane.held.size, 0)
    const sizes = shareRoom(new Map(hungry.map(([key, lane]) => [key, lane.wants])), heldByAll)
    const held = hungry.flatMap(([, lane]) => [...lane.held])
    const due = Map.groupBy(await readDue(this.#needs.database, worker, sizes, held), ({ webhookKey }) => webhookKey)
    for (const [key, lane] of hungry) lane.feed(due.get(key) ?? [], sizes.get(key) ?? 0)
  }

  /** As another worker, or none, it has not got what it had: others may take it now. */
  #presenceChanged(): void {
    for (const lane of this.#lanes.values()) if (lane.worker !== this.#presence.number) lane.end()
    this.wake()
  }
}

const POLL_MS = 200
const LEASE_SECONDS = 30
const MOST_RECEIVERS = 1_000
const RECEIVERS_AT_ONCE = 100
/** A request under way ends within 16 s. */
const FINISH_MS = 20_000
const LAST_WRITE_MS = 2_000
