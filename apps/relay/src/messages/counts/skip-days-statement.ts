import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import {
  type CountFilter,
  daysWithin,
  MOST_UNCOUNTED,
  ofFilter,
  withCountProgress,
} from './count-messages-statement.ts'

const skippedRow = z.object({ day: z.date(), before: z.int() })

/**
 * The day on which a page begins, in UTC, and the number of messages on the days before it, in the order of the list.
 */
export type SkippedDays = Readonly<z.output<typeof skippedRow>>

/**
 * Uses the counts of the days to find the day that contains the message at an offset. The list may begin or end at a
 * midnight. Returns undefined while too many messages are not counted, or if there are no messages. Takes no locks.
 */
export async function skipDays(
  statements: Statements,
  filter: CountFilter,
  direction: 'ASC' | 'DESC',
  offset: number,
): Promise<SkippedDays | undefined> {
  const isOf = ofFilter(filter)
  // Only the bound at which the list begins matters.
  const bounds = direction === 'DESC' ? { to: filter.to } : { from: filter.from }
  const [first] = await readRows(
    statements,
    skippedRow,
    Prisma.sql`
    WITH ${withCountProgress},
    days AS (
      SELECT day, sum(count) AS count FROM (
        SELECT day, count FROM message_counts WHERE ${isOf} AND day > '-infinity'
        UNION ALL
        SELECT day, change FROM message_count_changes
        WHERE ${isOf} AND message_key <= (SELECT counted FROM progress)
        UNION ALL
        SELECT (created_at AT TIME ZONE 'UTC')::date, 1 FROM (
          SELECT account_id, state, device_id, created_at FROM messages
          WHERE key > (SELECT counted FROM progress) ORDER BY key LIMIT ${MOST_UNCOUNTED}) AS uncounted
        WHERE ${isOf}
      ) AS one GROUP BY day
    ), places AS (
      SELECT day, sum(count) OVER (ORDER BY day ${Prisma.raw(direction)}) - count AS before
      FROM days WHERE count > 0 ${daysWithin(bounds)}
    )
    SELECT (day::timestamp AT TIME ZONE 'UTC') AS day, before::int AS before FROM places
    WHERE before <= ${offset} AND (SELECT NOT is_behind FROM progress)
    ORDER BY before DESC LIMIT 1`,
  )
  return first
}
