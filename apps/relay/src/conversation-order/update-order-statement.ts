import { z } from 'zod'
import { lastToNumber } from '../messages/by-number/recipients-of-number.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRow } from '../store/read-rows.ts'
import { endsWithReceived, newBuckets } from './ends-with-received.ts'

const keys = z.object({ sentKey: z.bigint(), receivedKey: z.bigint() })

/** The key of a message for each direction. */
export type OrderedKeys = Readonly<z.output<typeof keys>>

/** Reads the keys of the last messages that are in the order. Takes no locks. */
export function readProgress(statements: Statements): Promise<OrderedKeys> {
  return readRow(
    statements,
    keys,
    Prisma.sql`
    SELECT coalesce(max(sent_key), 0) AS "sentKey", coalesce(max(received_key), 0) AS "receivedKey"
    FROM conversation_order_progress`,
  )
}

/** Reads the last keys that were assigned to messages, committed or not. Takes no locks. */
export function readLastKeys(statements: Statements): Promise<OrderedKeys> {
  return readRow(
    statements,
    keys,
    Prisma.sql`
    SELECT coalesce(pg_sequence_last_value('messages_key_seq'), 0) AS "sentKey",
      coalesce(pg_sequence_last_value('inbox_key_seq'), 0) AS "receivedKey"`,
  )
}

const behindRow = z.object({ isBehind: z.boolean() })

/** Returns true if messages or changed conversations are not in the order yet. Takes no locks. */
export async function isOrderBehind(statements: RawStatements): Promise<boolean> {
  const { isBehind } = await readRow(
    statements,
    behindRow,
    Prisma.sql`
    SELECT EXISTS (SELECT FROM conversation_order_queue)
      OR coalesce(pg_sequence_last_value('messages_key_seq'), 0) IS DISTINCT FROM
        (SELECT sent_key FROM conversation_order_progress)
      OR coalesce(pg_sequence_last_value('inbox_key_seq'), 0) IS DISTINCT FROM
        (SELECT received_key FROM conversation_order_progress) AS "isBehind"`,
  )
  return isBehind
}

/**
 * Waits for transactions that delete messages. They hold this lock together, and compare their messages with the order,
 * so the order must not change until they have committed (migration 0061). Waits as long as a statement may take.
 */
export async function lockOrder(statements: Statements): Promise<void> {
  await statements.$executeRaw`
    SELECT set_config('lock_timeout', '30s', true), pg_advisory_xact_lock(1936554599, hashtext('conversation order'))`
}

/**
 * A condition of a statement that deletes messages, which is always true. It waits for a run of the job, and keeps the
 * order until the transaction ends. A transaction that deletes messages during a run without this condition adds each
 * conversation to the queue. The transaction must not have changed the order before, because the job waits for it.
 */
export const keepOrder = Prisma.sql`(
  SELECT set_config('lock_timeout', '30s', true) IS NOT NULL
    AND pg_advisory_xact_lock_shared(1936554599, hashtext('conversation order'))::text IS NOT NULL)`

/**
 * Writes folder and last time of the conversations of these messages, and of up to `queued` conversations of the queue.
 * The last message is read again each time, so a repeated statement changes nothing.
 *
 * Locks: rows of `conversation_order`, and those of the queue that it deletes. Only one job at a time runs this
 * statement, because the job takes the lock of its name. Needs `lockOrder`.
 */
export async function updateOrder(
  statements: Statements,
  after: OrderedKeys,
  upTo: OrderedKeys,
  queued: number,
): Promise<void> {
  const lastSent = lastToNumber({
    columns: Prisma.sql`m.created_at AS at`,
    accountId: Prisma.sql`placed.account_id`,
    number: Prisma.sql`placed.number`,
    buckets: Prisma.sql`(${newBuckets(Prisma.sql`${after.sentKey}::bigint`)} OR NOT placed.is_received)`,
  })
  await statements.$executeRaw`
    WITH taken AS (
      DELETE FROM conversation_order_queue
      WHERE key IN (SELECT key FROM conversation_order_queue ORDER BY key LIMIT ${queued})
      RETURNING account_id, number
    ), given AS MATERIALIZED (
      SELECT account_id, phone_number AS number FROM recipients
      WHERE message_key > ${after.sentKey} AND message_key <= ${upTo.sentKey}
      UNION
      SELECT account_id, sender FROM inbox WHERE key > ${after.receivedKey} AND key <= ${upTo.receivedKey}
      UNION
      SELECT account_id, number FROM taken
    ), placed AS MATERIALIZED (
      SELECT account_id, number, ${endsWithReceived(Prisma.sql`given.account_id`, Prisma.sql`given.number`)} AS is_received
      FROM given
    ), latest AS MATERIALIZED (
      -- Look-ups for each number, whatever the statistics of the tables say.
      SELECT placed.account_id, placed.number, greatest(sent.at, received.at) AS at,
        CASE WHEN s.blocked_at IS NOT NULL THEN 'blocked' WHEN s.archived_at IS NOT NULL THEN 'archived' ELSE 'inbox' END
          AS folder
      FROM placed
      LEFT JOIN LATERAL (
        ${lastSent}) AS sent ON true
      LEFT JOIN LATERAL (
        SELECT i.created_at AS at FROM inbox i WHERE i.account_id = placed.account_id AND i.sender = placed.number
        ORDER BY i.created_at DESC, i.key DESC LIMIT 1) AS received ON true
      LEFT JOIN LATERAL (
        SELECT archived_at, blocked_at FROM conversation_states
        WHERE account_id = placed.account_id AND number = placed.number LIMIT 1) AS s ON true
    ), removed AS (
      DELETE FROM conversation_order o USING latest
      WHERE latest.at IS NULL AND o.account_id = latest.account_id AND o.number = latest.number COLLATE "C"
    ), written AS (
      INSERT INTO conversation_order AS o (account_id, number, folder, last_at)
      SELECT account_id, number, folder, at FROM latest WHERE at IS NOT NULL
      ON CONFLICT (account_id, number) DO UPDATE SET folder = excluded.folder, last_at = excluded.last_at
        WHERE (o.folder, o.last_at) IS DISTINCT FROM (excluded.folder, excluded.last_at)
    )
    INSERT INTO conversation_order_progress (id, sent_key, received_key)
    SELECT 1, ${upTo.sentKey}::bigint, ${upTo.receivedKey}::bigint
    -- A conflict would lock the row, which writes to the disk.
    WHERE NOT EXISTS (SELECT FROM conversation_order_progress
      WHERE id = 1 AND (sent_key, received_key) = (${upTo.sentKey}::bigint, ${upTo.receivedKey}::bigint))
    ON CONFLICT (id) DO UPDATE SET sent_key = excluded.sent_key, received_key = excluded.received_key`
}
