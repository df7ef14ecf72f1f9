import { z } from 'zod'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRow, readRows } from '../store/read-rows.ts'
import { type CountedRows, MOST_CHECKED_ROWS, MOST_COUNTED_ROWS, type RowPosition } from './page.ts'

export interface ScannedRows {
  /** A table and conditions for which an index scan reads no other rows, as after `FROM`. */
  readonly rows: Prisma.Sql
  /** Conditions that have to be checked for each of these rows, which are named `scanned`. */
  readonly matches?: Prisma.Sql | undefined
  /** A column. Of several rows with the same value in this column, only one is counted. */
  readonly distinct?: Prisma.Sql
}

/**
 * Counts rows one by one. Reads at most `most` rows, whether they match or not, because rows that match may be rare.
 * Takes no locks.
 */
export async function countRows(
  statements: RawStatements,
  { rows, matches, distinct }: ScannedRows,
  most = matches === undefined ? MOST_COUNTED_ROWS : MOST_CHECKED_ROWS,
): Promise<CountedRows> {
  const counted = distinct === undefined ? Prisma.sql`*` : Prisma.sql`DISTINCT ${distinct}`
  const ofMatches = matches === undefined ? Prisma.empty : Prisma.sql`FILTER (WHERE ${matches})`
  // One row more than `most` shows whether there are more rows.
  const scanned = Prisma.sql`(SELECT * FROM ${rows} ${firstOf(most + 1)}) AS scanned`
  const { count, read } = await readRow(
    statements,
    countRow,
    Prisma.sql`SELECT (count(${counted}) ${ofMatches})::int AS count, count(*)::int AS read FROM ${scanned}`,
  )
  return { count: Math.min(count, most), isExact: read <= most }
}

/** Joins conditions, or returns undefined if there are none. */
export function allOf(conditions: readonly Prisma.Sql[]): Prisma.Sql | undefined {
  return conditions.length === 0 ? undefined : Prisma.join([...conditions], ' AND ')
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
  const planned = Prisma.raw(String(Math.max(LEAST_PLANNED, 2 ** Math.ceil(Math.log2(rows)))))
  return Prisma.sql`
    SELECT * FROM (SELECT * FROM (${scan} ${firstOf(rows)}) AS first LIMIT ${planned}) AS planned LIMIT ${rows}`
}

/**
 * Limits an ordered scan so that PostgreSQL reads an index in this order and stops at the limit. The planner does not
 * know the result of the query, and expects that a tenth of the rows is read. If it knew the limit and expected
 * fewer rows, because most accounts have few, it could read all rows and sort them.
 */
export function firstOf(rows: number): Prisma.Sql {
  return Prisma.sql`LIMIT (SELECT ${rows}::bigint)`
}

/** Enough for the largest page: 100 rows and one more. */
const LEAST_PLANNED = 128
const MOST_PLANNED = 1024

const countRow = z.object({ count: z.int(), read: z.int() })
const positionRow = z.object({ createdAt: z.date(), key: z.bigint() })
