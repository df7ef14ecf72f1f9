import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow } from '../store/read-rows.ts'

/**
 * Writes the present time of the database, and returns it in milliseconds since 1970. The result is never earlier than
 * the written time, so no replica looks younger than it is. A replica that shows this time has all changes that were
 * committed before. Locks one row. With several relays, only one of them writes in each half second. A time in the
 * future is replaced; it was written before the clock was set back.
 */
export async function writeBeat(statements: Statements): Promise<number> {
  const { ms } = await readRow(
    statements,
    beatRow,
    Prisma.sql`
    WITH written AS (
      UPDATE installation SET replica_beat_at = clock_timestamp()
      WHERE id = 1 AND replica_beat_at BETWEEN clock_timestamp() - interval '0.5 s' AND clock_timestamp() IS NOT TRUE
      RETURNING replica_beat_at
    )
    SELECT (extract(epoch FROM coalesce((SELECT replica_beat_at FROM written), clock_timestamp())) * 1000)::float8
      AS ms`,
  )
  return ms
}

const beatRow = z.object({ ms: z.number() })
