import { z } from 'zod'
import type { Statements } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import type { RawStatements } from '../raw-statements.ts'
import { readRow } from '../read-rows.ts'

/** Reads the database's clock in milliseconds since 1970. Takes no locks. */
export async function readDatabaseMs(statements: RawStatements): Promise<number> {
  const { ms } = await readRow(
    statements,
    clockRow,
    Prisma.sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
  )
  return ms
}

/**
 * Returns the number of milliseconds by which the database's clock is behind the latest stored time, or 0. A machine
 * without a battery-backed clock starts with an old time. Takes no locks.
 */
export async function behindStoredTimesMs(statements: Statements): Promise<number> {
  const { ms } = await readRow(
    statements,
    differenceRow,
    Prisma.sql`
    SELECT (extract(epoch FROM greatest(
      (SELECT max(last_seen) FROM devices), (SELECT max(renewed_at) FROM relays)
    ) - clock_timestamp()) * 1000)::float8 AS ms`,
  )
  return Math.max(0, ms ?? 0)
}

const clockRow = z.object({ ms: z.number() })
const differenceRow = z.object({ ms: z.number().nullable() })
