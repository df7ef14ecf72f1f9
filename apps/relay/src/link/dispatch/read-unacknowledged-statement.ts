import type { Command } from '@smsgw/contract/link/command'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'
import { claimedRow, commandOf, sendColumns } from './claim-commands-statement.ts'

/**
 * Returns the commands that were dispatched to this journal and may not have arrived. These commands are sent again
 * when a connection opens. If an agent already has a command, it only acknowledges the command again. USSD commands are
 * left out, because their requests have ended.
 *
 * Takes no locks, because dispatched commands always belong to this journal.
 */
export async function readUnacknowledgedCommands(
  statements: RawStatements,
  { accountId, deviceId, journalId }: AgentConnection,
  now: Date,
): Promise<Command[]> {
  const dispatched = Prisma.sql`
    device_id = ${deviceId} AND account_id = ${accountId} AND dispatched_journal = ${journalId}`
  const rows = await readRows(
    statements,
    claimedRow,
    Prisma.sql`
      SELECT t.command, ${sendColumns}
      FROM (
        SELECT 1 AS turn, cancel_requested_at AS since,
          jsonb_build_object('kind', 'cancel', 'cmdId', cmd_id) AS command, NULL AS send
        FROM recipients
        WHERE ${dispatched} AND cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL
          AND cancel_dispatched_at IS NOT NULL
        UNION ALL SELECT 2, created_at, command, NULL FROM device_commands
        WHERE ${dispatched} AND answered_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
          AND command ->> 'kind' = 'sweep'
        UNION ALL SELECT 3, dispatched_at, NULL, cmd_id FROM recipients
        WHERE ${dispatched} AND state IN ('Pending', 'Cancelling') AND processed_at IS NULL
      ) AS t
      LEFT JOIN recipients r ON r.cmd_id = t.send LEFT JOIN messages m ON m.key = r.message_key
      ORDER BY t.turn, r.priority DESC, t.since, r.message_key, r.position`,
  )
  return rows.map(commandOf)
}
