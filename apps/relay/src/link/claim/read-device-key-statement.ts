import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'

/** Returns the key with which a device authenticates, or undefined if there was never such a device. */
export async function readDeviceKey(
  statements: RawStatements,
  deviceId: string,
): Promise<z.output<typeof keyRow> | undefined> {
  const [device] = await readRows(
    statements,
    keyRow,
    Prisma.sql`
      SELECT account_id AS "accountId", public_key AS "publicKey", deleted_at IS NOT NULL AS "isDeleted"
      FROM devices WHERE id = ${deviceId}`,
  )
  return device
}

const keyRow = z.object({ accountId: z.string(), publicKey: z.string().nullable(), isDeleted: z.boolean() })
