// Keeps one row for each conversation, ordered by its last message. Accepting a message does not write this row,
// because many messages to one number would wait for each other. This job writes the row a second later, and lists add
// the messages that arrived after the last run.
import { awaitTransactions } from '../live/await-transactions-statement.ts'
import type { Database } from '../store/database.ts'
import { lockOrder, type OrderedKeys, readLastKeys, readProgress, updateOrder } from './update-order-statement.ts'

/**
 * The number of messages of each direction in one run. One message takes 50 µs, so with one run per second, each
 * direction uses 5 % of one core. A million messages of an older release are added within 20 minutes.
 */
const PORTION = 1_000

/** Includes the wait for a transaction that deletes messages. */
const LIMITS = { timeout: 60_000 }

/**
 * Adds new messages, deleted messages and changed folders to the order of conversations. An aborted run does no harm.
 */
export async function updateConversationOrder(database: Database, portion = PORTION): Promise<void> {
  const last = await readLastKeys(database)
  const done = startOf(await readProgress(database), last)
  // Waits for the present transactions, because a message gets its key before its transaction commits. After that, no
  // message with an earlier key can appear.
  if (last.sentKey !== done.sentKey) await awaitTransactions(database, 'senders')
  if (last.receivedKey !== done.receivedKey) await awaitTransactions(database, 'receivers')
  const upTo = {
    sentKey: endOf(done.sentKey, last.sentKey, portion),
    receivedKey: endOf(done.receivedKey, last.receivedKey, portion),
  }
  await database.$transaction(async (statements) => {
    await lockOrder(statements)
    await updateOrder(statements, done, upTo, portion)
  }, LIMITS)
}

function endOf(done: bigint, last: bigint, portion: number): bigint {
  const end = done + BigInt(portion)
  return end < last ? end : last
}

/** Reads the database from the beginning if the keys start again, for example after the tables were emptied. */
function startOf(done: OrderedKeys, last: OrderedKeys): OrderedKeys {
  return {
    sentKey: done.sentKey > last.sentKey ? 0n : done.sentKey,
    receivedKey: done.receivedKey > last.receivedKey ? 0n : done.receivedKey,
  }
}
