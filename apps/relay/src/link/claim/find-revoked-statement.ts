import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * Returns the devices that were deleted, alone or with their account. Takes no locks. A lookup of 5,000 ids by primary key
 * takes a few milliseconds.
 */
export async function findRevoked(database: Database, deviceIds: readonly string[]): Promise<string[]> {
  const rows = await readRows(
    database,
    deviceRow,
    Prisma.sql`
    SELECT connected.id FROM unnest(${[...deviceIds]}::text[]) AS connected (id)
    WHERE NOT EXISTS (SELECT FROM devices d WHERE d.id = connected.id AND d.deleted_at IS NULL)`,
  )
  return rows.map(({ id }) => id)
}

const deviceRow = z.object({ id: z.string() })
