import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * Finds unfinished messages whose journal was replaced before this time. Takes no locks. The messages are locked later,
 * when they are ended. If a report arrives in between, the report ends its message first.
 */
export function findLostSends(statements: Statements, since: Date, limit: number): Promise<z.output<typeof sendRow>[]> {
  return readRows(
    statements,
    sendRow,
    Prisma.sql`
      SELECT r.cmd_id AS "cmdId", r.account_id AS "accountId"
      FROM devices d
      JOIN device_journals j ON j.device_id = d.id AND j.journal_id = d.journal_id
      JOIN recipients r ON r.device_id = d.id AND r.account_id = d.account_id
      WHERE j.created_at <= ${since}
        AND EXISTS (SELECT FROM device_journals o WHERE o.device_id = d.id AND o.journal_id <> d.journal_id)
        AND r.state IN ('Pending', 'Cancelling', 'Processed') AND r.dispatched_journal <> d.journal_id
      ORDER BY r.message_key, r.position LIMIT ${limit}`,
  )
}

const sendRow = z.object({ cmdId: z.string(), accountId: z.string() })
