import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * Reads devices of an account with the report of their newest connection. Also returns the time of the database as
 * `now`, for comparison with leases and due times. Takes no locks.
 */
export function readDeviceReports(
  statements: Statements,
  accountId: string,
  deviceIds: readonly string[],
): Promise<z.output<typeof deviceRow>[]> {
  return readRows(
    statements,
    deviceRow,
    Prisma.sql`
    SELECT d.id, d.name, coalesce(l.lease_until, d.lease_until) AS "leaseUntil", w.report, now() AS now
    FROM devices d LEFT JOIN relays l ON l.id = d.relay_id LEFT JOIN device_waiting w ON w.device_id = d.id AND w.conn_epoch = d.conn_epoch
    WHERE d.account_id = ${accountId} AND d.id = ANY(${deviceIds}::text[]) AND d.deleted_at IS NULL`,
  )
}

const deviceRow = z.object({
  id: z.string(),
  name: z.string(),
  leaseUntil: z.date().nullable(),
  report: z.unknown(),
  now: z.date(),
})
