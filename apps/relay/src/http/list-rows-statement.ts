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

const countRow = z.object({ count: z.int() })
const positionRow = z.object({ createdAt: z.date(), key: z.bigint() })
