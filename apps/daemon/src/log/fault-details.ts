/**
 * Describes an error for the log. Messages of the database and the JSON parser quote input, which may be message texts
 * and phone numbers, so only the codes and stack frames of those errors are kept.
 */
export function faultDetails(error: unknown): object {
  if (!(error instanceof Error)) return { fault: typeof error, ...adapterCause(error) }
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

/**
 * Returns the codes of a cause from the database adapter. These causes are plain objects, and their messages quote
 * values.
 */
function adapterCause(cause: unknown): object {
  if (typeof cause !== 'object' || cause === null) return {}
  const { kind, originalCode } = cause as { kind?: unknown; originalCode?: unknown }
  return { ...(isCode(kind) && { kind }), ...(isCode(originalCode) && { sqlState: originalCode }) }
}

function isCode(value: unknown): boolean {
  return typeof value === 'string' && /^\w{1,40}$/.test(value)
}

function quotesInput(error: Error): boolean {
  return /^(?:Prisma|DriverAdapter|error$|DatabaseError|SyntaxError)/.test(error.name) || 'severity' in error
}

interface DatabaseMeta {
  readonly modelName?: unknown
  readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } }
}
