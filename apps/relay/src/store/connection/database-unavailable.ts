/** Prisma codes: unreachable, timeout, closed, no connection or transaction in time, too many connections, deadlock. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037'])

const SYSTEM_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the process that serves this socket is not running
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * SQL states: connection exceptions, insufficient resources (connections, memory, disk), server starting or shutting
 * down, statement canceled, read-only standby, lock timeout, serialization failure, deadlock.
 */
const SQL_STATES = /^(?:08...|53...|57P..|57014|25006|55P03|40001|40P01)$/

/** SQL state `disk_full`. */
export const DISK_FULL = '53100'

/** Returns true if the database cannot write because its disk is full. It may still read. */
export function isDatabaseDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, meta } = error as DatabaseFailure
  const causes = [meta?.driverAdapterError?.cause, error.cause] as readonly (AdapterCause | undefined)[]
  return (
    code === DISK_FULL || causes.some((cause) => cause?.originalCode === DISK_FULL) || isDatabaseDiskFull(error.cause)
  )
}

/** Messages of errors that have neither a class nor a code in `pg`. */
const MESSAGES =
  /connection terminated|^query read timeout$|timeout e(?:xpired$|xceeded when trying to connect)|connection error and is not queryable/i

/** Returns true if the database cannot serve a request now, but may serve it later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, meta } = error as DatabaseFailure
  if (typeof code === 'string' && (PRISMA_CODES.has(code) || SYSTEM_CODES.has(code) || SQL_STATES.test(code)))
    return true
  if (isAdapterUnavailable(meta?.driverAdapterError?.cause) || isAdapterUnavailable(error.cause)) return true
  return MESSAGES.test(error.message) || isDatabaseUnavailable(error.cause)
}

/**
 * Checks the cause of an adapter error. The cause is a plain object. Usually the adapter error is inside an error of
 * Prisma. When a transaction is committed or rolled back, the adapter error itself is thrown.
 */
function isAdapterUnavailable(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null) return false
  const { kind, originalCode } = cause as AdapterCause
  return KINDS.has(kind ?? '') || SQL_STATES.test(originalCode ?? '')
}

interface DatabaseFailure {
  readonly code?: unknown
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: unknown } }
}

interface AdapterCause {
  readonly kind?: string
  readonly originalCode?: string
}

/** The names that the adapter gives to errors without an SQL state. */
const KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
