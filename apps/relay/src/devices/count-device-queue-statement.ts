import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow } from '../store/read-rows.ts'

/**
 * Counts the unfinished recipients of a device. The states are literals, so that PostgreSQL uses the index of
 * unfinished recipients. Takes no locks.
 */
export function countDeviceQueue(
  statements: Statements,
  accountId: string,
  deviceId: string,
): Promise<z.output<typeof queueRow>> {
  return readRow(
    statements,
    queueRow,
    Prisma.sql`
    SELECT count(*) FILTER (WHERE processed_at IS NULL)::int AS pending,
      count(*) FILTER (WHERE processed_at IS NOT NULL)::int AS processed
    FROM recipients
    WHERE device_id = ${deviceId} AND account_id = ${accountId} AND state IN ('Pending', 'Cancelling', 'Processed')`,
  )
}

const queueRow = z.object({ pending: z.int(), processed: z.int() })
