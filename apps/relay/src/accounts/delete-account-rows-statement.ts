import { deleteOldLogs } from '../logs/log-retention-statement.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'

/**
 * The number of rows per statement. Deleting them takes a few hundred milliseconds on an SD card, far below the
 * statement timeout.
 */
const BATCH = 2_000
/** Later than the time of any row. */
const LAST_TIME = new Date('9999-12-31T23:59:59.999Z')

/**
 * Each function deletes some rows of a removed account from a large table and returns how many it deleted, which is 0
 * when no rows are left. Locks only these rows. Nothing else uses them, because the account can no longer be accessed.
 */
export const deleteAccountRows: readonly ((statements: Statements, accountId: string) => Promise<number>)[] = [
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM messages WHERE key IN (SELECT key FROM messages WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM inbox WHERE key IN (SELECT key FROM inbox WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM conversation_states WHERE (account_id, number) IN
      (SELECT account_id, number FROM conversation_states WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM conversation_order WHERE (account_id, number) IN
      (SELECT account_id, number FROM conversation_order WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM webhook_deliveries WHERE key IN
      (SELECT d.key FROM webhook_deliveries d JOIN webhooks w ON w.key = d.webhook_key
        WHERE w.account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM push_notifications WHERE key IN
      (SELECT key FROM push_notifications WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM telemetry WHERE key IN
      (SELECT t.key FROM telemetry t JOIN devices d ON d.id = t.device_id WHERE d.account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => deleteOldLogs(statements, accountId, LAST_TIME, BATCH),
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM live_events WHERE id IN (SELECT id FROM live_events WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  // The deletion of the rows above makes triggers add the conversations of these rows to the queue.
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM conversation_order_queue WHERE key IN
      (SELECT key FROM conversation_order_queue WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  // Triggers record the deleted messages. Counts and recorded changes are deleted together, so that no counts remain
  // without changes, and no changes without counts.
  (statements, accountId) => statements.$executeRaw`
    WITH counts AS (DELETE FROM message_counts WHERE account_id = ${accountId})
    DELETE FROM message_count_changes WHERE account_id = ${accountId}`,
  // First the changes, so that no count with a part of the changes remains.
  ...['list_count_changes', 'list_counts'].map(
    (table) => (statements: Statements, accountId: string) =>
      statements.$executeRaw`
    DELETE FROM ${Prisma.raw(table)} WHERE (list = 'inbox' AND owner = ${accountId})
      OR (list = 'deliveries' AND owner IN (SELECT key::text FROM webhooks WHERE account_id = ${accountId}))`,
  ),
]
