import type { Move } from '../messages/message-progress.ts'
import { isStatementError, sqlState } from '../messages/statement-error.ts'
import type { Database } from '../store/database.ts'
import { isDatabaseAway } from '../store/database-away.ts'
import { Prisma } from '../store/generated/client.ts'
import type { EventBatch, RecordResult, ToldEvent } from './event-batch.ts'
import { type RecordedBatches, recordBatches } from './record-batches.ts'

/**
 * Stores events of several devices, at most one batch of each, in one transaction. When that fails each batch is tried by
 * itself, and of a batch that cannot be stored each event, so that one that the database will never take holds up neither
 * the devices beside it nor those after it: it is logged and passed. Only what lies in the event counts as such; a database
 * that cannot serve fails the batch, which the device then keeps.
 */
export async function recordEvents(
  database: Database,
  batches: readonly EventBatch[],
  now: Date,
): Promise<PromiseSettledResult<RecordedBatch>[]> {
  const together = await settled(recordTogether(database, batches, now))
  if (together.status === 'fulfilled') {
    const { results, answered, moves } = together.value
    // What came of all of them is told with the first.
    return results.map((result, index) => ({
      status: 'fulfilled',
      value: index === 0 ? { result, answered, moves } : { result, answered: [], moves: [] },
    }))
  }
  if (batches.length > 1 && isDatabaseAway(together.reason) && !isLockTimeout(together.reason)) {
    return batches.map(() => together)
  }
  return Promise.all(batches.map((batch) => settled(recordAlone(database, batch, now))))
}

export interface RecordedBatch {
  readonly result: RecordResult
  /** Commands that have an answer now. */
  readonly answered: readonly string[]
  /** Recipients that came to another state. */
  readonly moves: readonly Move[]
}

function recordTogether(database: Database, batches: readonly EventBatch[], now: Date): Promise<RecordedBatches> {
  return database.$transaction((statements) => recordBatches(statements, batches, now), PATIENCE)
}

/** A full batch of messages that came in takes some hundred statements. */
const PATIENCE = { maxWait: 5_000, timeout: 20_000 }

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
  let result: RecordResult = { kind: 'fenced' }
  for (const [index, told] of batch.events.entries()) {
    const isLast = index === batch.events.length - 1
    const single = {
      ...batch,
      from: batch.from + index,
      skipped: index === 0 ? batch.skipped : 0,
      events: [told],
      tag: isLast ? batch.tag : undefined,
    }
    const recorded = await recordOrPass(database, single, now)
    result = recorded.result
    answered.push(...recorded.answered)
    moves.push(...recorded.moves)
    if (result.kind !== 'stored') break
  }
  return { result, answered, moves }
}

async function recordOrPass(database: Database, single: EventBatch, now: Date): Promise<RecordedBatch> {
  try {
    const { results, ...rest } = await recordTogether(database, [single], now)
    return { result: results[0] as RecordResult, ...rest }
  } catch (error) {
    if (!isOfTheEvents(error)) throw error
    const { results } = await recordTogether(database, [{ ...single, events: single.events.map(unstorable) }], now)
    return { result: results[0] as RecordResult, answered: [], moves: [] }
  }
}

/** Said without its content, which may be the text of a message. */
function unstorable(told: ToldEvent): ToldEvent {
  return { problem: 'event' in told ? `the database does not take this '${told.event.kind}'` : told.problem }
}

/** Somebody holds what one of them needs. */
function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** It would fail again for ever, because of what is in it. */
function isOfTheEvents(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  if (error instanceof Prisma.PrismaClientValidationError) return true
  return isStatementError(error) && !isDatabaseAway(error)
}

async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([promise])
  return result
}
