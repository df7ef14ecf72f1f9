import type { Command } from '@smsgw/contract/link/command'
import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'
import { sendColumns, sendCommandOf, sendRow } from './claim-commands-statement.ts'

/**
 * Returns the commands that were dispatched to this journal and may not have arrived. These commands are sent again
 * when a connection opens. If an agent already has a command, it only acknowledges the command again. USSD commands are
 * left out, because their requests have ended.
 *
 * Takes no locks, because dispatched commands always belong to this journal.
 */
export async function readUnacknowledgedCommands(
  statements: Statements,
  { accountId, deviceId, journalId }: AgentConnection,
  now: Date,
): Promise<Command[]> {
  const cancels = await readRows(
    statements,
    cancelRow,
    Prisma.sql`
    SELECT cmd_id AS "cmdId" FROM recipients
    WHERE device_id = ${deviceId} AND account_id = ${accountId} AND dispatched_journal = ${journalId}
      AND cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL AND cancel_dispatched_at IS NOT NULL
    ORDER BY cancel_requested_at`,
  )
  const sweeps = await readRows(
    statements,
    sweepRow,
    Prisma.sql`
    SELECT command FROM device_commands
    WHERE device_id = ${deviceId} AND account_id = ${accountId} AND dispatched_journal = ${journalId}
      AND answered_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}) AND command ->> 'kind' = 'sweep'
    ORDER BY created_at`,
  )
  const sends = await readRows(
    statements,
    sendRow,
    Prisma.sql`
    SELECT ${sendColumns} FROM recipients r JOIN messages m ON m.key = r.message_key
    WHERE r.device_id = ${deviceId} AND r.account_id = ${accountId} AND r.dispatched_journal = ${journalId}
      AND r.state IN ('Pending', 'Cancelling') AND r.processed_at IS NULL
    ORDER BY r.priority DESC, r.dispatched_at, r.message_key, r.position`,
  )
  return [
    ...cancels.map(({ cmdId }): Command => ({ kind: 'cancel', cmdId })),
    ...sweeps.map(({ command }) => command),
    ...sends.map(sendCommandOf),
  ]
}

const cancelRow = z.object({ cmdId: z.string() })
const sweepRow = z.object({ command: z.custom<Command>() })
