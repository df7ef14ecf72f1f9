/**
 * Returns whether the database rejected a statement for its content: values, constraints, locks of others, limits. An
 * unavailable or full database does not count.
 */
export function isStatementError(error: unknown): boolean {
  const code = sqlState(error)
  return code !== undefined && /^(?:22|23|40|54|55|57014)/.test(code)
}

/** The form in which Prisma passes on an error of its adapter. */
export function sqlState(error: unknown): string | undefined {
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } }
  const code = meta?.driverAdapterError?.cause?.originalCode
  return typeof code === 'string' ? code : undefined
}
