import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'

export type WaitingDevice = Pick<AgentConnection, 'deviceId' | 'accountId'>

/**
 * Returns the ids of the devices for which `readUnacknowledgedCommands` or `claimCommands` may return commands. Both
 * return nothing for the other devices. Most agents that connect have no commands, so one search for many of them
 * replaces two statements for each.
 *
 * Also returns devices whose commands are not due yet, or belong to an earlier journal, because a search for exact
 * results would read more rows.
 *
 * Takes no locks. Costs a few index look-ups for each device. `OFFSET 0` prevents plans that read the commands of all
 * devices.
 */
export async function findWaitingCommands(
  statements: RawStatements,
  devices: readonly WaitingDevice[],
  now: Date,
): Promise<Set<string>> {
  const ofDevice = Prisma.sql`device_id = given.device_id AND account_id = given.account_id`
  const rows = await readRows(
    statements,
    deviceRow,
    Prisma.sql`
    SELECT given.device_id AS "deviceId"
    FROM unnest(
      ${devices.map(({ deviceId }) => deviceId)}::text[], ${devices.map(({ accountId }) => accountId)}::text[]
    ) AS given (device_id, account_id)
    WHERE EXISTS (
        SELECT FROM recipients
        WHERE ${ofDevice} AND state IN ('Pending', 'Cancelling') AND processed_at IS NULL OFFSET 0)
      OR EXISTS (
        SELECT FROM recipients
        WHERE ${ofDevice} AND cancel_requested_at IS NOT NULL AND cancel_answered_at IS NULL OFFSET 0)
      OR EXISTS (
        SELECT FROM device_commands
        WHERE ${ofDevice} AND answered_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}) OFFSET 0)`,
  )
  return new Set(rows.map(({ deviceId }) => deviceId))
}

const deviceRow = z.object({ deviceId: z.string() })
