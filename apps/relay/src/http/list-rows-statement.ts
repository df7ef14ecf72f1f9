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
 * Returns a limit of at least this many rows, for a scan whose exact limit is a parameter. The planner does not know
 * the value of a parameter, and would expect a tenth of the table. PostgreSQL would then plan the statement again for
 * each request (0.5 ms), because only such a plan knows the value. There are few different limits, so that there are
 * few different statements.
 */
export function plannedLimit(rows: number): Prisma.Sql {
  return Prisma.raw(String(Math.max(LEAST_PLANNED, 2 ** Math.ceil(Math.log2(rows)))))
}

/** More than the rows of a page of the default size. */
const LEAST_PLANNED = 128

const countRow = z.object({ count: z.int() })
const positionRow = z.object({ createdAt: z.date(), key: z.bigint() })
