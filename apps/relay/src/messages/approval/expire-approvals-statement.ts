import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * Ends the approval of messages that nobody approved in time, for all accounts. Returns their recipients. Messages are
 * locked by key, as in `lockMessages`. A message that is being approved, refused or cancelled now is left for the next
 * run.
 */
export function expireApprovals(
  statements: Statements,
  now: Date,
  limit: number,
): Promise<z.output<typeof recipientRow>[]> {
  return readRows(
    statements,
    recipientRow,
    Prisma.sql`
    WITH late AS MATERIALIZED (
      SELECT key FROM messages
      WHERE state = 'Pending' AND approval = 'pending' AND approval_until <= ${now}
      ORDER BY key LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
    ), expired AS (
      UPDATE messages SET approval = 'expired', approval_at = ${now} WHERE key IN (SELECT key FROM late) RETURNING key
    )
    SELECT r.account_id AS "accountId", r.cmd_id AS "cmdId" FROM expired JOIN recipients r ON r.message_key = expired.key`,
  )
}

const recipientRow = z.object({ accountId: z.string(), cmdId: z.string() })
