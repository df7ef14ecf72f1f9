import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { DeviceOnRoster } from './choose-device.ts'

/**
 * Reads the devices of accounts with their slots and queue lengths. A queue is counted only up to its limit, so a
 * longer queue does not take more time (0.1 ms per thousand rows of the index `recipients_unfinished`). Takes no locks.
 */
export async function readRosters(
  statements: Statements,
  accountIds: readonly string[],
  queueLimit: number,
): Promise<ReadonlyMap<string, readonly DeviceOnRoster[]>> {
  const rows = await readRows(
    statements,
    rosterRow,
    Prisma.sql`
    SELECT d.account_id AS "accountId", d.id, greatest(d.last_seen, l.renewed_at) AS "lastSeen",
      coalesce(l.lease_until, d.lease_until) AS "leaseUntil",
      CASE WHEN d.conn_epoch = 0 THEN NULL WHEN d.capabilities_epoch = d.conn_epoch THEN d.capabilities
        ELSE ARRAY[]::text[] END AS capabilities,
      ARRAY(SELECT sim_number FROM sim_cards WHERE device_id = d.id) AS slots,
      ARRAY(SELECT sim_number FROM sim_cards WHERE device_id = d.id AND state = 'ready') AS "readySlots",
      ARRAY(SELECT sim_number FROM sim_cards WHERE device_id = d.id AND is_emulated) AS "emulatedSlots",
      (SELECT count(*)::int FROM (
        SELECT FROM recipients WHERE device_id = d.id AND state IN ('Pending', 'Cancelling', 'Processed')
        LIMIT ${queueLimit}) AS queue) AS waiting
    FROM devices d LEFT JOIN relays l ON l.id = d.relay_id
    WHERE d.account_id = ANY(${[...accountIds]}::text[]) AND d.deleted_at IS NULL
    ORDER BY d.created_at, d.id`,
  )
  return Map.groupBy(rows, ({ accountId }) => accountId)
}

const rosterRow = z.object({
  accountId: z.string(),
  id: z.string(),
  lastSeen: z.date().nullable(),
  leaseUntil: z.date().nullable(),
  capabilities: z.array(z.string()).nullable(),
  slots: z.array(z.int()),
  readySlots: z.array(z.int()),
  emulatedSlots: z.array(z.int()),
  waiting: z.int(),
})
