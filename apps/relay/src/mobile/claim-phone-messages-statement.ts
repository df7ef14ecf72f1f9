import { MOST_MMS_BYTES } from '@smsgw/contract/messages/mms'
import { z } from 'zod'
import { type AgentConnection, fence } from '../link/claim/agent-connection.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow } from '../store/read-rows.ts'

/**
 * Dispatches due messages to a phone. Stops when the phone has `most` dispatched messages that it has not confirmed
 * yet. After the commit, the messages belong to the phone, and no other device gets them. Returns their number.
 *
 * A message is dispatched with all its recipients, because a phone ignores a message whose id it has already received.
 *
 * No more MMS are dispatched while the unconfirmed attachments together have the size of the largest MMS, so that a
 * phone on a slow network can download a whole answer.
 *
 * Locks the device against its deletion, then messages, then recipients, as every statement does. A message that is
 * being cancelled or ended is skipped. A cancel waits for this statement and then sees the dispatch.
 */
export async function claimPhoneMessages(
  statements: Statements,
  connection: AgentConnection,
  most: number,
  now: Date,
): Promise<number> {
  const { deviceId, accountId, journalId } = connection
  const ofDevice = Prisma.sql`device_id = ${deviceId} AND account_id = ${accountId}`
  const { count } = await readRow(
    statements,
    countRow,
    Prisma.sql`
    WITH ${fence(connection)},
    unconfirmed AS MATERIALIZED (
      SELECT DISTINCT message_key FROM recipients
      WHERE ${ofDevice} AND dispatched_journal = ${journalId} AND state IN ('Pending', 'Cancelling') AND processed_at IS NULL
    ),
    waiting AS MATERIALIZED (
      SELECT m.key, m.mms IS NOT NULL AS is_mms, row_number() OVER () AS place
      FROM (
        SELECT m.key, m.mms FROM messages m, fence
        WHERE m.key IN (
          SELECT message_key FROM recipients
          WHERE ${ofDevice} AND state = 'Pending' AND dispatched_journal IS NULL
            AND coalesce(not_before, due_at) <= ${now} AND (valid_until IS NULL OR valid_until > ${now}))
        ORDER BY coalesce(m.priority, 0) DESC,
          CASE WHEN fence.settings #>> '{messages,processing_order}' = 'LIFO' THEN -m.key ELSE m.key END
        LIMIT greatest(0, ${most} - (SELECT count(*) FROM unconfirmed))
      ) AS m
    ),
    sized AS (
      SELECT key, bytes, sum(bytes) OVER (ORDER BY place) - bytes AS bytes_before
      FROM (
        SELECT key, place, CASE WHEN is_mms THEN ${bytesOf(Prisma.sql`waiting.key`)} ELSE 0 END AS bytes FROM waiting
      ) AS one
    ),
    due AS MATERIALIZED (
      SELECT m.key FROM messages m JOIN sized ON sized.key = m.key
      WHERE sized.bytes = 0 OR ${MOST_MMS_BYTES} > sized.bytes_before
        + (SELECT coalesce(sum(${bytesOf(Prisma.sql`unconfirmed.message_key`)}), 0) FROM unconfirmed)
      FOR NO KEY UPDATE OF m SKIP LOCKED
    ),
    claimed AS (
      UPDATE recipients r SET dispatched_journal = ${journalId}, dispatched_at = ${now}
      FROM due WHERE r.message_key = due.key AND r.state = 'Pending' AND r.dispatched_journal IS NULL
      RETURNING r.message_key
    )
    SELECT count(DISTINCT message_key)::int AS count FROM claimed`,
  )
  return count
}

function bytesOf(key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT coalesce(sum(size), 0) FROM message_attachments WHERE message_key = ${key})`
}

const countRow = z.object({ count: z.int() })
