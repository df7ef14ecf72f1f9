import type { z } from 'zod'
import type { Prisma } from './generated/client.ts'
import { type RawStatements, withoutPrisma } from './raw-statements.ts'

/**
 * Runs a query whose rows have this schema. The rows are not parsed, because parsing would cost more than reading them.
 * Instead, `statements.test.ts` compares the schema of every statement with the columns that the database reports.
 */
export async function readRows<Row extends z.ZodObject>(
  statements: RawStatements,
  row: Row,
  sql: Prisma.Sql,
): Promise<z.output<Row>[]> {
  return await withoutPrisma(statements).$queryRaw<z.output<Row>[]>(Object.assign(sql, { row }))
}

/** Runs a query that always returns one row. */
export async function readRow<Row extends z.ZodObject>(
  statements: RawStatements,
  row: Row,
  sql: Prisma.Sql,
): Promise<z.output<Row>> {
  const [first] = await readRows(statements, row, sql)
  if (first === undefined) throw new Error('a query that must return a row returned no row')
  return first
}
