// Keeps counts of messages by account, day, device and state. The stored counts cover the messages up to a certain key.
// A request for a list counts the newer messages itself, row by row. Most messages reach their last state before they
// are counted, so accepting a message or storing its new state usually costs only one comparison in a trigger.
import { awaitTransactions } from '../../live/await-transactions-statement.ts'
import type { Database } from '../../store/database.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import {
  advanceCounts,
  lockCountProgress,
  readCountKeys,
  recordChangesUpTo,
  resetCounts,
} from './update-counts-statement.ts'

/** The number of newest messages that stay uncounted. A list counts them in about a third of a millisecond. */
export const NEWEST_MESSAGES = 1_000

/** The number of messages and of recorded changes per run. 20 000 messages take about 50 ms. */
const PORTION = 20_000

/** Returns true if `updateMessageCounts` would count a message or add a change. */
export async function areCountsBehind(statements: RawStatements, newest = NEWEST_MESSAGES): Promise<boolean> {
  const { counted, recorded, last, hasChanges } = await readCountKeys(statements)
  return hasChanges || counted > last || counted > recorded || last - BigInt(newest) > counted
}

/**
 * Counts the messages that are not among the newest any more, and adds recorded changes. An aborted or concurrent run
 * does no harm.
 */
export async function updateMessageCounts(
  database: Database,
  { newest = NEWEST_MESSAGES, portion = PORTION }: { readonly newest?: number; readonly portion?: number } = {},
): Promise<void> {
  const keys = await readCountKeys(database)
  // The keys are invalid after the tables were emptied, or restored without their sequences.
  const isInvalid = keys.counted > keys.last || keys.counted > keys.recorded
  if (isInvalid) await restartCounts(database)
  const counted = isInvalid ? 0n : keys.counted
  const upTo = least(counted + BigInt(portion), greatest(counted, keys.last - BigInt(newest)))
  // Skips the lock if there is nothing to count, because the job runs each second, and each lock would write to the
  // disk.
  if (!isInvalid && upTo === counted && !keys.hasChanges) return
  if (upTo > counted) {
    await database.$transaction(async (statements) => {
      await lockCountProgress(statements)
      await recordChangesUpTo(statements, upTo)
    })
    // Waits for running transactions. A transaction that read the previous key has not recorded its changes; when it
    // has ended, the rows contain these changes.
    await awaitTransactions(database, 'senders')
  }
  await database.$transaction(async (statements) => {
    // Stops if another relay has counted in the meantime.
    if ((await lockCountProgress(statements)) === counted) await advanceCounts(statements, counted, upTo, portion)
  })
}

async function restartCounts(database: Database): Promise<void> {
  await database.$transaction(async (statements) => {
    await lockCountProgress(statements)
    await resetCounts(statements)
  })
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)
const greatest = (one: bigint, other: bigint) => (one > other ? one : other)
