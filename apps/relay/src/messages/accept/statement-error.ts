import { DatabaseError } from 'pg'

/**
 * Returns true if the database rejected a statement because of its values, a constraint, a lock or a limit. Returns
 * false if the database is unavailable or full.
 */
export function isStatementError(error: unknown): boolean {
  const code = sqlState(error)
  return code !== undefined && /^(?:22|23|40|54|55|57014)/.test(code)
}

/** Returns the SQLSTATE code from the error of `pg` or of Prisma's adapter, or undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } }
  const code = meta?.driverAdapterError?.cause?.originalCode
  return typeof code === 'string' ? code : undefined
}
