// Inbound path, step 9: stores a group in one transaction. Next: record-batches.ts.

import type { ReadEvent } from '@smsgw/link/events/event-inbox'
import { isStatementError, sqlState } from '../messages/accept/statement-error.ts'
import type { Move } from '../messages/progress/message-progress.ts'
import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'
import type { Database } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { rawStatement, rawTransaction } from '../store/raw-statements.ts'
import type { EventBatch, RecordResult } from './event-recorder.ts'
import { areAboutMessages, type RecordedBatches, recordBatches, recordMessages } from './record-batches.ts'
import {
  type FreeWorker,
  type SoleReceived,
  storeSoleReceived,
  type TakenReceiver,
} from './store-sole-received-statement.ts'

/**
 * Stores the events of several devices, at most one batch each, in one transaction. If the transaction fails, each
 * batch is tried in a separate transaction, and then each event of a batch that fails. An event that the database
 * always rejects is logged and skipped, so that it does not block later events or other devices. While the database is
 * unavailable, all batches fail and the devices keep their events.
 *
 * A single received message is first tried with one statement, which is its own transaction.
 */
export async function recordEvents(
  database: Database,
  batches: readonly EventBatch[],
  now: Date,
  options: RecordOptions = {},
): Promise<PromiseSettledResult<RecordedBatch>[]> {
  const received = soleReceived(batches)
  if (received !== undefined) {
    const sole = await settled(recordReceived(database, received, now, options))
    if (sole.status === 'rejected')
      return Promise.all(batches.map((batch) => settled(recordAlone(database, batch, now))))
    if (sole.value !== undefined) return [{ status: 'fulfilled', value: sole.value }]
  }
  const together = await settled(recordTogether(database, batches, now))
  if (together.status === 'fulfilled') {
    const { results, ...rest } = together.value
    // The first result contains the answers and state changes of all batches.
    return results.map((result, index) => ({
      status: 'fulfilled',
      value: index === 0 ? { result, ...rest } : { result, answered: [], moves: [], enqueued: 0 },
    }))
  }
  if (batches.length > 1 && isDatabaseUnavailable(together.reason) && !isLockTimeout(together.reason)) {
    return batches.map(() => together)
  }
  return Promise.all(batches.map((batch) => settled(recordAlone(database, batch, now))))
}

export interface RecordedBatch {
  readonly result: RecordResult
  /** Ids of the commands that were answered. */
  readonly answered: readonly string[]
  /** State changes of recipients. */
  readonly moves: readonly Move[]
  /** The number of deliveries and notifications that were added to the outbox. */
  readonly enqueued: number
}

export interface RecordOptions {
  readonly worker?: TakingWorker | undefined
  /** Called if a received message could not be stored with one statement. It is then stored with several. */
  readonly onProblem?: (error: unknown) => void
}

/** The worker that sends deliveries, and that may take their receivers in the transaction that stores them. */
export interface TakingWorker {
  /** What a transaction needs to take receivers. Undefined if the worker cannot serve more receivers now. */
  free(): FreeWorker | undefined
  /** Serves receivers that a transaction has taken. `takenAtMs` is before the transaction. */
  serve(taken: readonly TakenReceiver[], worker: number, takenAtMs: number): void
}

/** Returns the received message if it is the only event. This is the usual case while the relay has little to do. */
function soleReceived([batch, ...others]: readonly EventBatch[]): SoleReceived | undefined {
  const [read, ...later] = batch?.events ?? []
  if (batch === undefined || others.length > 0 || read === undefined || later.length > 0) return undefined
  if (!('event' in read) || read.event.kind !== 'received' || batch.skipped > 0) return undefined
  // A stored partial message may have to be completed, or to stay as it is.
  if ('isPartial' in read.event && read.event.isPartial) return undefined
  return { connection: batch.connection, seq: batch.from, tag: batch.tag, event: read.event }
}

/** Returns undefined if nothing was stored, because the message is not simply new. */
async function recordReceived(
  database: Database,
  received: SoleReceived,
  now: Date,
  { worker, onProblem }: RecordOptions,
): Promise<RecordedBatch | undefined> {
  const takenAtMs = performance.now()
  const free = worker?.free()
  try {
    const stored = await rawStatement(database, (statements) => storeSoleReceived(statements, received, now, free))
    if (stored === undefined) return undefined
    if (free !== undefined) worker?.serve(stored.taken, free.worker, takenAtMs)
    return { result: { kind: 'stored', mark: received.seq }, answered: [], moves: [], enqueued: stored.enqueued }
  } catch (error) {
    // If the database is unavailable, the transaction that is tried next fails as well.
    if (!isDatabaseUnavailable(error)) onProblem?.(error)
    throw error
  }
}

function recordTogether(database: Database, batches: readonly EventBatch[], now: Date): Promise<RecordedBatches> {
  return areAboutMessages(batches)
    ? rawTransaction(database, (statements) => recordMessages(statements, batches, now))
    : database.$transaction((statements) => recordBatches(statements, batches, now))
}

async function recordAlone(database: Database, batch: EventBatch, now: Date): Promise<RecordedBatch> {
  try {
    const { results, ...rest } = await recordTogether(database, [batch], now)
    return { result: results[0] as RecordResult, ...rest }
  } catch (error) {
    if (!isOfTheEvents(error)) throw error
    return recordOneByOne(database, batch, now)
  }
}

async function recordOneByOne(database: Database, batch: EventBatch, now: Date): Promise<RecordedBatch> {
  const answered: string[] = []
  const moves: Move[] = []
  let enqueued = 0
  let result: RecordResult = { kind: 'fenced' }
  for (const [index, event] of batch.events.entries()) {
    const isLast = index === batch.events.length - 1
    const single = {
      ...batch,
      from: batch.from + index,
      skipped: index === 0 ? batch.skipped : 0,
      events: [event],
      tag: isLast ? batch.tag : undefined,
    }
    const recorded = await recordOrPass(database, single, now)
    result = recorded.result
    answered.push(...recorded.answered)
    moves.push(...recorded.moves)
    enqueued += recorded.enqueued
    if (result.kind !== 'stored') break
  }
  return { result, answered, moves, enqueued }
}

async function recordOrPass(database: Database, single: EventBatch, now: Date): Promise<RecordedBatch> {
  try {
    const { results, ...rest } = await recordTogether(database, [single], now)
    return { result: results[0] as RecordResult, ...rest }
  } catch (error) {
    if (!isOfTheEvents(error)) throw error
    const { results } = await recordTogether(database, [{ ...single, events: single.events.map(unstorable) }], now)
    return { result: results[0] as RecordResult, answered: [], moves: [], enqueued: 0 }
  }
}

/**
 * Returns a problem in place of the event. The problem names only the kind, because the content may be the text of a
 * message.
 */
function unstorable(read: ReadEvent): ReadEvent {
  return { problem: 'event' in read ? `the database rejects this '${read.event.kind}' event` : read.problem }
}

/** Returns true if another transaction holds a lock that this transaction needs. */
function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** Returns true if the content of an event caused the error, so that the statement would always fail. */
function isOfTheEvents(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  if (error instanceof Prisma.PrismaClientValidationError) return true
  return isStatementError(error) && !isDatabaseUnavailable(error)
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise])
  return result
}
