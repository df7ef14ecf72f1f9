// Inbound path, step 8: groups the events of devices. Next: record-events.ts.

import type { Log } from '@smsgw/daemon/log/log'
import type { ReadEvent } from '@smsgw/link/events/event-inbox'
import type { Clock } from '../clock.ts'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Move } from '../messages/progress/message-progress.ts'
import type { Database } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox/enqueue-events.ts'
import { type RecordedBatch, recordEvents, type TakingWorker } from './record-events.ts'

export interface EventRecorderDeps {
  readonly database: Database
  readonly clock: Clock
  readonly hints: { answered(cmdIds: readonly string[]): void }
  readonly outbox?: Outbox
  readonly worker?: TakingWorker
  readonly log?: Pick<Log, 'warn'>
  /** Called after the commit, with the changed states of recipients. */
  readonly onMoved?: (moves: readonly Move[]) => void
}

/**
 * Stores the events of all devices of this process. While fewer than two transactions run, a batch is stored at once.
 * Otherwise the batches wait and share the next transaction, so that many devices share the cost of one commit.
 *
 * A device that reports all the time pauses between two batches, for two reasons: a batch with one event costs nearly
 * as much as a batch with twenty events, and the steps of one message are written together if they are in the same
 * batch. After a pause, the first batches of a device follow each other without delay.
 */
export class EventRecorder {
  readonly #deps: EventRecorderDeps
  readonly #paces = new WeakMap<AgentConnection, Paces>()
  #waiting: Waiting[] = []
  #running = 0

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps
  }

  /**
   * Stores a batch. Each device may have only one batch in progress. After a rejection nothing is stored; the caller
   * may retry.
   */
  record(batch: EventBatch): Promise<PacedResult> {
    const { promise, resolve, reject } = Promise.withResolvers<RecordResult>()
    const store = () => {
      this.#waiting.push({ batch, resolve, reject })
      this.#start()
    }
    const { connection, events } = batch
    const paces = this.#paces.get(connection) ?? {
      batches: new EvenPace(BATCH_EVERY_MS, BATCHES_AT_ONCE),
      keyChanges: new EvenPace(KEY_CHANGE_EVERY_MS, KEY_CHANGES_AT_ONCE),
    }
    this.#paces.set(connection, paces)
    const nowMs = performance.now()
    const nextMs = nowMs + paces.batches.next(nowMs)
    const delayMs = events.some(changesKey) ? paces.keyChanges.next(nowMs) : 0
    if (delayMs > 0) setTimeout(store, delayMs)
    else store()
    return promise.then((result) =>
      result.kind === 'stored' ? { ...result, pauseMs: Math.max(0, nextMs - performance.now()) } : result,
    )
  }

  #start(): void {
    while (this.#running < GROUPS_AT_ONCE && this.#waiting.length > 0) void this.#store(this.#nextGroup())
  }

  #nextGroup(): Waiting[] {
    let count = 0
    let events = 0
    for (const { batch } of this.#waiting) {
      events += batch.events.length
      if (count > 0 && events > EVENTS_IN_GROUP) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    const { database, clock, hints, outbox, worker, log, onMoved } = this.#deps
    this.#running += 1
    const batches = group.map(({ batch }) => batch)
    const recorded = await recordEvents(database, batches, clock.now(), {
      worker,
      onProblem: (err) =>
        log?.warn({ err }, 'a received message could not be stored with one statement, and is stored with several'),
    })
    this.#running -= 1
    this.#start()
    const stored = recorded.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const answered = stored.flatMap((one) => one.answered)
    if (answered.length > 0) hints.answered(answered)
    if (stored.some(({ enqueued }) => enqueued > 0)) outbox?.wake()
    onMoved?.(stored.flatMap(({ moves }) => moves))
    for (const [index, { resolve, reject }] of group.entries()) {
      const one = recorded[index] as PromiseSettledResult<RecordedBatch>
      if (one.status === 'fulfilled') resolve(one.value.result)
      else reject(one.reason)
    }
  }
}

/**
 * Two transactions are enough: one is prepared while the other waits for the disk. With more transactions, each would
 * store fewer events.
 */
const GROUPS_AT_ONCE = 2
/** The interval between the batches of a device that reports all the time. */
const BATCH_EVERY_MS = 50
/**
 * The number of batches of a device that are stored without delay after a pause. One message causes about four batches.
 */
const BATCHES_AT_ONCE = 20
/**
 * The shortest interval between batches with changed keys. A device changes a key only a few times per year. Each
 * change rewrites the row of the device, in a transaction that also contains events of other devices.
 */
const KEY_CHANGE_EVERY_MS = 10_000
/** After a pause, this number of batches with changed keys is stored without delay. */
const KEY_CHANGES_AT_ONCE = 10

function changesKey(read: ReadEvent): boolean {
  return 'event' in read && (read.event.kind === 'alias-key-changed' || read.event.kind === 'key-replaced')
}

interface Paces {
  readonly batches: EvenPace
  readonly keyChanges: EvenPace
}

/** The largest number of events in a group, which limits the duration of a transaction. */
const EVENTS_IN_GROUP = 1_000

interface Waiting {
  readonly batch: EventBatch
  readonly resolve: (result: RecordResult) => void
  readonly reject: (reason: unknown) => void
}

/** Consecutive events of a journal, in order, as the link delivers them. */
export interface EventBatch {
  readonly connection: AgentConnection
  /** Sequence number of the first event. */
  readonly from: number
  /** The number of events before `from` that no longer exist. The mark skips them. */
  readonly skipped: number
  /**
   * Tag of the last event. With the tag, the relay can later check whether a journal still has the same event at this
   * sequence number.
   */
  readonly tag: string | undefined
  readonly events: readonly ReadEvent[]
}

/** @param pauseMs how long the device should collect events before its next batch */
type PacedResult = Exclude<RecordResult, Stored> | (Stored & { readonly pauseMs: number })

type Stored = Extract<RecordResult, { readonly kind: 'stored' }>

export type RecordResult =
  /** Everything up to the mark is on disk and may be acknowledged. */
  | { readonly kind: 'stored'; readonly mark: number }
  /** A newer connection of the device exists. Nothing was stored, and nothing may be acknowledged. */
  | { readonly kind: 'fenced' }
  /** Events between the mark and this batch are missing. The agent has to resend the events after the mark. */
  | { readonly kind: 'gap'; readonly mark: number }

/**
 * Spaces events evenly. After a pause, `atOnce` events need not wait. No event waits longer than one interval, even if
 * earlier events did not wait.
 */
export class EvenPace {
  readonly #everyMs: number
  readonly #aheadMs: number
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(everyMs: number, atOnce: number) {
    this.#everyMs = everyMs
    this.#aheadMs = everyMs * atOnce
  }

  /** Returns the milliseconds for which the next event has to wait. */
  next(nowMs: number): number {
    const nextMs = Math.max(this.#lastMs, nowMs - this.#aheadMs) + this.#everyMs
    this.#lastMs = Math.min(nextMs, nowMs + this.#everyMs)
    return Math.max(0, this.#lastMs - nowMs)
  }
}
