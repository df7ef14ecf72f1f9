import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'

export type DeviceKey = Readonly<Omit<z.output<typeof keyRow>, 'id'>>

/** Returns the keys with which devices authenticate. A device that never existed has no entry. */
export async function readDeviceKeys(
  statements: RawStatements,
  deviceIds: readonly string[],
): Promise<Map<string, DeviceKey>> {
  const rows = await readRows(
    statements,
    keyRow,
    Prisma.sql`
      SELECT id, account_id AS "accountId", public_key AS "publicKey", deleted_at IS NOT NULL AS "isDeleted"
      FROM devices WHERE id = ANY (${[...deviceIds]}::text[])`,
  )
  return new Map(rows.map(({ id, ...key }) => [id, key]))
}

const keyRow = z.object({
  id: z.string(),
  accountId: z.string(),
  publicKey: z.string().nullable(),
  isDeleted: z.boolean(),
})
