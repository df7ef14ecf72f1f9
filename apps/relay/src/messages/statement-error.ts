/**
 * Whether the database took the statement and refused it for what is in it: values, constraints, locks that others hold,
 * limits. Not: it is away, or has no room.
 */
export function isStatementError(error: unknown): boolean {
  const code = sqlState(error)
  return code !== undefined && /^(?:22|23|40|54|55|57014)/.test(code)
}

/** As Prisma hands it on from its adapter. */
export function sqlState(error: unknown): string | undefined {
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } }
  const code = meta?.driverAdapterError?.cause?.originalCode
  return typeof code === 'string' ? code : undefined
}
