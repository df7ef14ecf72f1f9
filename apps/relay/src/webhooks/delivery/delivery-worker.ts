// Inbound path, step 13: takes a lease for each receiver that has due deliveries. Next: attempt-delivery.ts.

import type { Log } from '@smsgw/daemon/log/log'
import type { TakingWorker } from '../../ingest/record-events.ts'
import type { FreeWorker, TakenReceiver } from '../../ingest/store-sole-received-statement.ts'
import { isDatabaseUnavailable } from '../../store/connection/database-unavailable.ts'
import type { Database } from '../../store/database.ts'
import { everySecond } from '../../store/every-second.ts'
import { inOneTrip, together } from '../../store/raw-statements.ts'
import type { Outbox } from '../outbox/enqueue-events.ts'
import { AttemptRecorder, type AttemptRecorderDeps } from './attempt-recorder.ts'
import type { GuardedClient } from './client/guarded-client.ts'
import { readDue } from './read-due-statement.ts'
import { Breakers } from './receiver-health.ts'
import { ReceiverLane, type ReceiverLaneDeps } from './receiver-lane.ts'
import { type DueReceiver, takeReceivers } from './take-receivers-statement.ts'
import { WorkerPresence } from './worker-presence.ts'

export interface DeliveryWorkerDeps extends Omit<ReceiverLaneDeps, 'recorder' | 'breakers'>, AttemptRecorderDeps {
  readonly database: Database
  /** The URL of the same database. */
  readonly url: string
  readonly client: GuardedClient
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** The number of receivers served at the same time, each over at most five connections. */
  readonly mostReceivers?: number
}

/**
 * Sends the deliveries of the outbox. Every relay runs one worker. Each receiver is served by one worker at a time, in
 * a separate lane, so that a slow or dead receiver delays no other receiver. When a worker is killed, another worker
 * takes over its receivers within a second and sends events under the same ids.
 *
 * A round takes free receivers, renews the leases of the receivers that this worker has, and reads their due
 * deliveries. A new delivery is usually for a receiver that this worker has served recently, so when a hint wakes the
 * worker, it reads the deliveries of these receivers in the same round trip in which it takes them.
 *
 * The transaction that stores a received message may also take the receivers of its deliveries for this worker. Such a
 * delivery is sent without a round.
 *
 * Rounds run when the worker is woken, five times a second while it serves receivers, and otherwise once a second. New
 * deliveries do not wait for that, because a hint wakes the worker at once. Only a due retry, or a delivery whose hint
 * was lost, waits for up to a second.
 */
export class DeliveryWorker implements Outbox, TakingWorker {
  readonly #deps: DeliveryWorkerDeps
  readonly #laneNeeds: ReceiverLaneDeps
  readonly #recorder: AttemptRecorder
  readonly #presence: WorkerPresence
  readonly #rounds: Rounds
  readonly #stopPolling: () => void
  /** Runs while receivers are served. */
  #polling: NodeJS.Timeout | undefined
  readonly #lanes = new Map<bigint, ReceiverLane>()
  /** The key after which the search for more receivers continues, so that no receiver waits too long. */
  #after = 0n
  #isWoken = false
  /** True if new deliveries are the reason for the next round. */
  #isHinted = false
  /** The receivers that were served last. */
  readonly #recent = new Set<bigint>()
  #isUnavailable = false
  #stopping: Promise<void> | undefined
  /** True if the recorder writes only what it already has. Other workers then take all receivers of this worker. */
  #isStopped = false
  #onAllDone: (() => void) | undefined

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps
    this.#recorder = new AttemptRecorder(deps)
    this.#laneNeeds = { ...deps, recorder: this.#recorder, breakers: new Breakers() }
    this.#rounds = new Rounds(() => this.#round())
    this.#stopPolling = everySecond(() => this.#requestRound())
    this.#presence = new WorkerPresence(deps, () => this.#presenceChanged())
  }

  wake(): void {
    this.#isHinted = true
    this.#requestRound()
  }

  /** Returns undefined if the worker cannot serve more receivers. */
  free(): FreeWorker | undefined {
    const worker = this.#presence.number
    const limit = this.#freeLanes
    if (worker === undefined || this.#stopping !== undefined || limit <= 0) return undefined
    return { worker, leaseSeconds: LEASE_SECONDS, busy: [...this.#lanes.keys()], limit }
  }

  /** Serves receivers that a transaction has taken together with their first delivery. */
  serve(taken: readonly TakenReceiver[], worker: number, takenAtMs: number): void {
    const mayServe = worker === this.#presence.number && this.#stopping === undefined
    const ageSeconds = (performance.now() - takenAtMs) / 1000
    for (const { receiver, delivery } of taken) {
      const { key } = receiver
      if (!mayServe) {
        // Until the end of the stop, or while the database still shows a lost number, other workers respect the lease.
        if (!this.#isStopped) void this.#recorder.release(worker, key)
        continue
      }
      if (this.#lanes.has(key)) {
        // The previous lane has released the receiver, but has not been removed yet. Takes the receiver again later.
        void this.#recorder.release(worker, key).then(() => this.#requestRound())
        continue
      }
      const lane = this.#openLane(worker, receiver, takenAtMs)
      lane.feed([{ ...delivery, ageSeconds }], lane.wants)
    }
  }

  get #freeLanes(): number {
    return (this.#deps.mostReceivers ?? MOST_RECEIVERS) - this.#lanes.size
  }

  #requestRound(): void {
    this.#isWoken = true
    this.#rounds.request()
  }

  /** The number by which other relays see that this worker is running. Undefined until the database knows it. */
  get number(): number | undefined {
    return this.#presence.number
  }

  /** Takes no more deliveries. Running requests are finished and recorded. Other workers take the rest. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const giveUpAt = performance.now() + FINISH_MS
    this.#stopPolling()
    clearInterval(this.#polling)
    await this.#rounds.stop()
    for (const lane of this.#lanes.values()) lane.end()
    if (this.#lanes.size > 0) await this.#lanesDone(giveUpAt - performance.now())
    await this.#deps.client.close()
    this.#isStopped = true
    await this.#recorder.finish(Math.max(LAST_WRITE_MS, giveUpAt - performance.now()))
    await this.#presence.close()
  }

  #lanesDone(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timeout = setTimeout(resolve, Math.max(1, waitMs))
    this.#onAllDone = () => {
      clearTimeout(timeout)
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
      const fed = isWoken ? await this.#take(worker) : new Set<bigint>()
      await this.#feed(worker, fed)
      if (this.#isUnavailable) this.#deps.log.info('webhook delivery resumed: database available')
      this.#isUnavailable = false
    } catch (error) {
      if (!isDatabaseUnavailable(error))
        this.#deps.log.error({ err: error }, 'could not read due webhook deliveries, retrying')
      else if (!this.#isUnavailable)
        this.#deps.log.warn({ err: error }, 'webhook delivery paused: database unavailable, retrying')
      this.#isUnavailable ||= isDatabaseUnavailable(error)
    }
  }

  /** Returns the receivers whose deliveries have already been read. */
  async #take(worker: number): Promise<ReadonlySet<bigint>> {
    const takenAtMs = performance.now()
    const free = this.#freeLanes
    const limit = Math.max(0, Math.min(RECEIVERS_AT_ONCE, free))
    // Stops serving the receiver that has been served longest, because other receivers are waiting.
    if (free <= 0) this.#lanes.values().next().value?.end()
    const renewed = [...this.#lanes].filter(([, lane]) => lane.needsRenewal(takenAtMs))
    const likely = this.#isHinted ? [...this.#recent].filter((key) => !this.#lanes.has(key)) : []
    this.#isHinted = false
    const statements = inOneTrip(this.#deps.database)
    const [receivers, due] = await together([
      takeReceivers(statements, {
        worker,
        leaseSeconds: LEASE_SECONDS,
        busy: [...this.#lanes.keys()],
        renewed: renewed.map(([key]) => key),
        after: this.#after,
        limit,
      }),
      likely.length === 0
        ? Promise.resolve([])
        : // If this read fails, the taken receivers must get their lanes nevertheless. Then `#feed` reads again.
          readDue(statements, worker, new Map(likely.map((key) => [key, READ_AHEAD])), []).catch(() => []),
    ])
    const taken = new Map(receivers.map((receiver) => [receiver.key, receiver]))
    for (const [key, lane] of renewed) {
      const receiver = taken.get(key)
      // Ends the lane, because the receiver was deleted, disabled, paused, or taken by another worker.
      if (receiver === undefined) lane.end()
      else lane.renew(receiver, takenAtMs)
      taken.delete(key)
    }
    // If the worker number was lost, another worker may serve these receivers.
    if (worker === this.#presence.number)
      for (const receiver of taken.values()) this.#openLane(worker, receiver, takenAtMs)
    this.#turn([...taken.keys()], limit)
    // Other deliveries of this worker number belong to lanes that have ended.
    const read = Map.groupBy(
      due.filter(({ webhookKey }) => taken.has(webhookKey)),
      ({ webhookKey }) => webhookKey,
    )
    for (const [key, deliveries] of read) {
      const lane = this.#lanes.get(key)
      const size = Math.min(lane?.wants ?? 0, READ_AHEAD)
      lane?.feed(deliveries.slice(0, size), size)
    }
    return new Set(read.keys())
  }

  #openLane(worker: number, receiver: DueReceiver, takenAtMs: number): ReceiverLane {
    const lane = new ReceiverLane(this.#laneNeeds, {
      worker,
      receiver,
      takenAtMs,
      onNeedsMore: () => this.#rounds.request(),
      onDone: () => {
        this.#lanes.delete(receiver.key)
        if (this.#lanes.size === 0) this.#allDone()
        // Takes the receiver again if a delivery was enqueued between the last read and the release.
        this.#requestRound()
      },
    })
    this.#lanes.set(receiver.key, lane)
    this.#polling ??= setInterval(() => this.#requestRound(), POLL_MS)
    this.#recent.delete(receiver.key)
    this.#recent.add(receiver.key)
    const [oldest] = this.#recent
    if (this.#recent.size > MOST_RECENT && oldest !== undefined) this.#recent.delete(oldest)
    return lane
  }

  #allDone(): void {
    clearInterval(this.#polling)
    this.#polling = undefined
    this.#onAllDone?.()
  }

  /** Continues the search for receivers. After the last key, starts again at the first key. */
  #turn(taken: readonly bigint[], limit: number): void {
    const before = this.#after
    if (limit > 0) this.#after = taken.length < limit ? 0n : taken.reduce((most, key) => (key > most ? key : most))
    if (this.#after !== 0n || before !== 0n) this.#requestRound()
  }

  async #feed(worker: number, fed: ReadonlySet<bigint>): Promise<void> {
    const needy = [...this.#lanes].filter(([key, lane]) => lane.wants > 0 && !fed.has(key))
    if (needy.length === 0) return
    const heldByAll = [...this.#lanes.values()].reduce((sum, lane) => sum + lane.held.size, 0)
    const sizes = shareCapacity(new Map(needy.map(([key, lane]) => [key, lane.wants])), heldByAll)
    const held = needy.flatMap(([, lane]) => [...lane.held])
    const due = Map.groupBy(await readDue(this.#deps.database, worker, sizes, held), ({ webhookKey }) => webhookKey)
    for (const [key, lane] of needy) lane.feed(due.get(key) ?? [], sizes.get(key) ?? 0)
  }

  /** Ends the lanes of a lost worker number, because other workers may serve the receivers of these lanes. */
  #presenceChanged(): void {
    for (const lane of this.#lanes.values()) if (lane.worker !== this.#presence.number) lane.end()
    this.#requestRound()
  }
}

/** The interval while receivers are served. */
const POLL_MS = 200
const LEASE_SECONDS = 30
const MOST_RECEIVERS = 1_000
const RECEIVERS_AT_ONCE = 100
/** The number of receivers whose deliveries are read in the round trip in which they are taken. */
const MOST_RECENT = 5
/** The number of deliveries that are then read for each receiver. */
const READ_AHEAD = 10
/** How long a stop waits. A running request ends within 16 s. */
const FINISH_MS = 20_000
const LAST_WRITE_MS = 2_000

/**
 * The shortest time between the starts of two rounds. All requests for a round during this time share the next round.
 */
const PACE_MS = 10

/**
 * Runs the same work repeatedly, one run at a time. If no run is in progress, a run starts immediately. Otherwise, it
 * starts after the present run. The work must not reject.
 */
class Rounds {
  readonly #run: () => Promise<void>
  #begunAtMs = -PACE_MS
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isRequested = false
  #isStopped = false

  constructor(run: () => Promise<void>) {
    this.#run = run
  }

  request(): void {
    this.#isRequested = true
    if (this.#running !== undefined || this.#timer !== undefined || this.#isStopped) return
    const waitMs = this.#begunAtMs + PACE_MS - performance.now()
    if (waitMs <= 0) this.#begin()
    else this.#timer = setTimeout(() => this.#begin(), waitMs)
  }

  /** Waits for the present run. No other run starts after it. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #begin(): void {
    this.#timer = undefined
    this.#isRequested = false
    this.#begunAtMs = performance.now()
    this.#running = this.#run().then(() => {
      this.#running = undefined
      if (this.#isRequested) this.request()
    })
  }
}

/**
 * Divides the worker's memory among receivers that need deliveries. Each receiver gets as many deliveries as it
 * requests, up to an equal share of the free space. This share is never less than a few deliveries, so that no receiver
 * waits for another.
 *
 * @param held deliveries in memory for all receivers
 */
export function shareCapacity(wants: ReadonlyMap<bigint, number>, held: number): ReadonlyMap<bigint, number> {
  const part = Math.max(A_FEW, Math.floor((MOST_HELD - held) / wants.size))
  return new Map([...wants].map(([key, want]) => [key, Math.min(want, part)]))
}

const MOST_HELD = 20_000
const A_FEW = 10
