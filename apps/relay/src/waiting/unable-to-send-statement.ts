import type { WaitingReason } from '@smsgw/contract/messages/waiting'
import { z } from 'zod'
import type { Database } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/** The reasons that usually end only when somebody helps. A pause, a limit and work hours end by themselves. */
export const FAULTS = [
  'no_network',
  'roaming',
  'modem_missing',
  'sim_locked',
  'modem_busy',
] as const satisfies WaitingReason[]

/**
 * Counts the connected devices that cannot send with any SIM, by reason. A device reports the reason once a message
 * waits for it. Reads one row for each device that has ever reported. Takes no locks.
 */
export async function countUnableToSend(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await readRows(
    database,
    countRow,
    Prisma.sql`
    SELECT w.report -> 'anySim' ->> 'reason' AS reason, count(*)::int AS count
    FROM device_waiting w JOIN devices d ON d.id = w.device_id AND d.conn_epoch = w.conn_epoch
      LEFT JOIN relays l ON l.id = d.relay_id
    WHERE w.report -> 'anySim' ->> 'reason' = ANY (${[...FAULTS]}::text[]) AND d.deleted_at IS NULL
      AND coalesce(l.lease_until, d.lease_until) > now()
    GROUP BY 1`,
  )
  return new Map(rows.map(({ reason, count }) => [reason, count]))
}

const countRow = z.object({ reason: z.string(), count: z.int() })
