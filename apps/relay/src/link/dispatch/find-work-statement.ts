import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * Returns the devices connected to this process that have due commands: scheduled commands, and commands whose hint was
 * lost. A device belongs to this relay until it connects to another relay, even if a clock change has ended the lease.
 * Takes no locks. Costs a few index look-ups per device (0.01 ms), for any number of waiting commands.
 */
export async function findDevicesWithWork(statements: RawStatements, relayId: string, now: Date): Promise<string[]> {
  const rows = await readRows(
    statements,
    deviceRow,
    Prisma.sql`
    SELECT d.id FROM devices d
    WHERE d.relay_id = ${relayId} AND (
      EXISTS (
        SELECT FROM recipients r WHERE r.device_id = d.id AND r.state = 'Pending' AND r.dispatched_journal IS NULL
          AND coalesce(r.not_before, r.due_at) <= ${now} AND (r.valid_until IS NULL OR r.valid_until > ${now}))
      OR EXISTS (
        SELECT FROM recipients r WHERE r.device_id = d.id AND r.dispatched_journal = d.journal_id
          AND r.cancel_requested_at IS NOT NULL AND r.cancel_answered_at IS NULL AND r.cancel_dispatched_at IS NULL)
      OR EXISTS (
        SELECT FROM device_commands c WHERE c.device_id = d.id AND c.answered_at IS NULL
          AND c.dispatched_journal IS NULL AND (c.expires_at IS NULL OR c.expires_at > ${now})))`,
  )
  return rows.map(({ id }) => id)
}

const deviceRow = z.object({ id: z.string() })
