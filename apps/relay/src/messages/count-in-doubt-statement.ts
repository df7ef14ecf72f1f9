import { z } from 'zod'
import type { Database } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow } from '../store/read-rows.ts'

/**
 * Counts recipients with an unknown outcome. Reads only the index of unfinished recipients, so a long history does not
 * make it slower. Takes no locks.
 */
export async function countInDoubt(database: Database): Promise<number> {
  const { count } = await readRow(
    database,
    countRow,
    Prisma.sql`
    SELECT count(*)::int AS count FROM recipients
    WHERE state IN ('Pending', 'Cancelling', 'Processed') AND error_code = 'outcome_unknown'`,
  )
  return count
}

const countRow = z.object({ count: z.int() })
