import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow } from '../../store/read-rows.ts'

/**
 * The count stops at this number. A higher number would not be more useful, and reading a million index rows would slow
 * down the scrape.
 */
export const MOST_COUNTED = 100_000

/** Returns the number of waiting deliveries, at most `MOST_COUNTED`. Takes no locks. */
export async function queueSize(database: Database): Promise<number> {
  const { count } = await readRow(
    database,
    countRow,
    Prisma.sql`
    SELECT count(*)::int AS count
    FROM (SELECT FROM webhook_deliveries WHERE state = 'waiting' LIMIT ${MOST_COUNTED}) AS waiting`,
  )
  return count
}

/**
 * Returns the age of the oldest delivery that could be sent now. Reads one row per receiver in the index of waiting
 * deliveries, because the first row of a receiver is its oldest delivery. Takes no locks.
 */
export async function queueAgeSeconds(database: Database): Promise<number> {
  const { age } = await readRow(
    database,
    ageRow,
    Prisma.sql`
    WITH RECURSIVE first AS (
      (SELECT webhook_key, next_attempt_at FROM webhook_deliveries WHERE state = 'waiting'
        ORDER BY webhook_key, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_key, next.next_attempt_at FROM first CROSS JOIN LATERAL (
        SELECT d.webhook_key, d.next_attempt_at FROM webhook_deliveries d
        WHERE d.state = 'waiting' AND d.webhook_key > first.webhook_key
        ORDER BY d.webhook_key, d.next_attempt_at LIMIT 1) AS next
    )
    SELECT extract(epoch FROM now() - min(first.next_attempt_at))::float8 AS age
    FROM first JOIN webhooks w ON w.key = first.webhook_key
    WHERE w.disabled_at IS NULL AND w.held_since IS NULL AND (w.paused_until IS NULL OR w.paused_until <= now())`,
  )
  return Math.max(0, age ?? 0)
}

const countRow = z.object({ count: z.int() })
const ageRow = z.object({ age: z.number().nullable() })
