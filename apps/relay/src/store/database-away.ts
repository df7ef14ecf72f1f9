/** Of Prisma: not reachable, timed out, closed, no connection or transaction to be had in time, too many, a deadlock. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037'])

const SYSTEM_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the socket of a server that is not up
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * Connection exceptions, no resources (connections, memory, disk), shutting down or starting, a standby, a lock or a
 * statement that took too long, a deadlock.
 */
const SQL_STATES = /^(?:08...|53...|57P..|57014|25006|55P03|40001|40P01)$/

/** `pg` gives these neither a class nor a code. */
const MESSAGES =
  /connection terminated|timeout e(?:xpired$|xceeded when trying to connect)|connection error and is not queryable/i

/** Whether the database could not serve just now, so that the same request may well succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, meta } = error as { code?: unknown; meta?: { driverAdapterError?: { cause?: unknown } } }
  if (typeof code === 'string' && (PRISMA_CODES.has(code) || SYSTEM_CODES.has(code) || SQL_STATES.test(code)))
    return true
  if (adapterFoundNone(meta?.driverAdapterError?.cause) || adapterFoundNone(error.cause)) return true
  return MESSAGES.test(error.message) || isDatabaseAway(error.cause)
}

/** The adapter's own errors hold a plain object as their cause, and come bare out of a transaction that is being ended. */
function adapterFoundNone(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null) return false
  const { kind, originalCode } = cause as AdapterCause
  return KINDS.has(kind ?? '') || SQL_STATES.test(originalCode ?? '')
}

interface AdapterCause {
  readonly kind?: string
  readonly originalCode?: string
}

/** As the adapter names what has no SQL state. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
