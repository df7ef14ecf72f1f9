import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * Locks and returns a device, so that it is deleted only once and its agent cannot connect during the deletion. Returns
 * undefined when the device does not exist or is deleted.
 */
export async function lockDeviceToDelete(
  statements: Statements,
  accountId: string,
  id: string,
): Promise<z.output<typeof deviceRow> | undefined> {
  const [device] = await readRows(
    statements,
    deviceRow,
    Prisma.sql`
    SELECT built_in AS "builtIn" FROM devices
     WHERE id = ${id} AND account_id = ${accountId} AND deleted_at IS NULL FOR UPDATE`,
  )
  return device
}

const deviceRow = z.object({ builtIn: z.boolean() })
