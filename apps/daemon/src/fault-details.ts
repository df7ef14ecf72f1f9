/**
 * An error for the log. Messages of the database and of the JSON parser quote what was sent, texts and numbers too:
 * of those only the codes and the place in our code are kept.
 */
export function faultDetails(error: unknown): object {
  if (!(error instanceof Error)) return { fault: typeof error }
  const { code, meta } = error as { code?: unknown; meta?: DatabaseMeta }
  return {
    fault: error.name,
    code,
    sqlState: meta?.driverAdapterError?.cause?.originalCode,
    model: meta?.modelName,
    message: quotesInput(error) ? undefined : error.message,
    at: error.stack
      ?.split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: faultDetails(error.cause) }),
  }
}

function quotesInput(error: Error): boolean {
  return /^(?:Prisma|DriverAdapter|error$|DatabaseError|SyntaxError)/.test(error.name) || 'severity' in error
}

interface DatabaseMeta {
  readonly modelName?: unknown
  readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } }
}
