import { z } from 'zod'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRow, readRows } from '../store/read-rows.ts'
import { type CountedRows, MOST_COUNTED_ROWS, type RowPosition } from './page.ts'

/**
 * Counts rows one by one, up to `most`. Takes no locks.
 * @param rows a table and its conditions, as after `FROM`
 */
export async function countRows(
  statements: RawStatements,
  rows: Prisma.Sql,
  most = MOST_COUNTED_ROWS,
): Promise<CountedRows> {
  const { count } = await readRow(
    statements,
    countRow,
    Prisma.sql`SELECT count(*)::int FROM (SELECT FROM ${rows} LIMIT ${most + 1}) AS counted`,
  )
  return { count: Math.min(count, most), isExact: count <= most }
}

/**
 * Finds the row at an offset, newest first. Takes no locks.
 * @param rows a table with an index on `created_at` and `key`, and its conditions, as after `FROM`
 */
export async function findPosition(
  statements: RawStatements,
  rows: Prisma.Sql,
  offset: number,
): Promise<RowPosition | undefined> {
  const [found] = await readRows(
    statements,
    positionRow,
    Prisma.sql`
    SELECT created_at AS "createdAt", key FROM ${rows}
    ORDER BY created_at DESC, key DESC LIMIT 1 OFFSET ${offset}`,
  )
  return found
}

/**
 * Returns a query for the first rows of an ordered scan. The planner does not know the value of a parameter, and would
 * expect a tenth of the matching rows. PostgreSQL would then plan the statement again for each request (0.5 ms),
 * because only such a plan knows the value. So the scan also has a limit that the planner knows. Pages at large offsets
 * take longer than that and go without it, so that only a few different statements need a name.
 */
export function firstRows(scan: Prisma.Sql, rows: number): Prisma.Sql {
  if (rows > MOST_PLANNED) return Prisma.sql`${scan} LIMIT ${rows}`
  const planned = Math.max(LEAST_PLANNED, 2 ** Math.ceil(Math.log2(rows)))
  return Prisma.sql`SELECT * FROM (${scan} LIMIT ${Prisma.raw(String(planned))}) AS planned LIMIT ${rows}`
}

/** Enough for the largest page: 100 rows and one more. */
const LEAST_PLANNED = 128
const MOST_PLANNED = 1024

const countRow = z.object({ count: z.int() })
const positionRow = z.object({ createdAt: z.date(), key: z.bigint() })
