import type { MessageState } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import { firstOf } from '../../http/list-rows-statement.ts'
import { ALL_ROWS, type CountedRows, MOST_COUNTED_ROWS } from '../../http/page.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow } from '../../store/read-rows.ts'

export interface CountFilter {
  readonly accountId: string
  readonly states: readonly MessageState[]
  readonly deviceId?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/**
 * If more messages than this come after the last counted message, the stored counts are not used. A request for a list
 * then counts the rows itself. This happens while the existing messages of a database are being counted.
 */
export const MOST_UNCOUNTED = 50_000

const countRow = z.object({ count: z.int(), isExact: z.boolean() })

/**
 * Returns the number of messages: the counts, the recorded changes, and the messages that are not counted yet, at one
 * moment. If a period begins or ends within a day, the messages of this day are counted row by row, up to `most`. The
 * number of all messages is exact even if the stored counts are not used. Takes no locks.
 * @param others more rows, as after `FROM`, which are counted row by row, up to `most`
 */
export async function countMessages(
  statements: Statements,
  filter: CountFilter,
  most = MOST_COUNTED_ROWS,
  others?: Prisma.Sql,
): Promise<CountedRows> {
  const { from, to } = filter
  const whole = wholeDays(from, to)
  const isOf = ofFilter(filter)
  const isTotal = from === undefined && to === undefined
  const limit = isTotal ? ALL_ROWS : most
  const rowsWithin = (start: Date | undefined, end: Date | undefined) => Prisma.sql`
    (SELECT count(*) FROM (SELECT FROM messages WHERE ${isOf} ${within(start, end)} ${firstOf(limit + 1)}) AS counted)`
  const rest = [
    ...(from !== undefined && whole.from !== undefined && from < whole.from ? [rowsWithin(from, whole.from)] : []),
    ...(to !== undefined && whole.to !== undefined && whole.to < to ? [rowsWithin(whole.to, to)] : []),
  ]
  const days = isTotal ? Prisma.sql`AND day = '-infinity'` : Prisma.sql`AND day > '-infinity' ${daysWithin(whole)}`
  const counted = Prisma.sql`
    (SELECT coalesce(sum(count), 0) FROM message_counts WHERE ${isOf} ${days})
    + (SELECT coalesce(sum(change), 0) FROM message_count_changes
      WHERE ${isOf} ${daysWithin(whole)} AND message_key <= (SELECT counted FROM progress))
    + (SELECT count(*) FROM (
        -- Without the limit, the planner expects a third of the table and does not read by key.
        SELECT account_id, state, device_id, created_at FROM messages
        WHERE key > (SELECT counted FROM progress) ORDER BY key LIMIT ${MOST_UNCOUNTED}) AS uncounted
      WHERE ${isOf} ${within(whole.from, whole.to)})`
  const isWithinDay = whole.from !== undefined && whole.to !== undefined && whole.from >= whole.to
  const usesCounts = isWithinDay ? Prisma.sql`false` : Prisma.sql`(SELECT NOT is_behind FROM progress)`
  const partsOfDays = Prisma.sql`ARRAY[${rest.length > 0 ? Prisma.join(rest) : Prisma.empty}]::bigint[]`
  return await readRow(
    statements,
    countRow,
    Prisma.sql`
    WITH ${withCountProgress},
    parts AS MATERIALIZED (
      SELECT least(count, ${limit}) AS count, count <= ${limit} AS is_exact
      FROM unnest(CASE WHEN ${usesCounts} THEN ${partsOfDays} ELSE ARRAY[${rowsWithin(from, to)}] END) AS part (count)
      ${others === undefined ? Prisma.empty : Prisma.sql`UNION ALL ${countedUpTo(others, most)}`}
    )
    SELECT ((CASE WHEN ${usesCounts} THEN ${counted} ELSE 0 END)
        + (SELECT coalesce(sum(count), 0) FROM parts))::int AS count,
      (SELECT coalesce(bool_and(is_exact), true) FROM parts) AS "isExact"`,
  )
}

function countedUpTo(rows: Prisma.Sql, most: number): Prisma.Sql {
  return Prisma.sql`
    SELECT least(count(*), ${most}), count(*) <= ${most} FROM (SELECT FROM ${rows} ${firstOf(most + 1)}) AS counted`
}

/**
 * Reads the key up to which messages are counted, and whether too many messages follow this key. If too many follow,
 * the counts cannot be used.
 */
export const withCountProgress = Prisma.sql`
  progress AS MATERIALIZED (
    SELECT counted, coalesce(pg_sequence_last_value('messages_key_seq'), 0) - counted > ${MOST_UNCOUNTED} AS is_behind
    FROM (SELECT coalesce(max(counted_key), 0) AS counted FROM message_count_progress) AS one
  )`

/** Returns the SQL condition on account, states and device, for messages, counts and recorded changes. */
export function ofFilter({ accountId, states, deviceId }: Omit<CountFilter, 'from' | 'to'>): Prisma.Sql {
  const ofStates = Prisma.sql`account_id = ${accountId} AND state = ANY(${states}::message_state[])`
  return deviceId === undefined ? ofStates : Prisma.sql`${ofStates} AND device_id = ${deviceId}`
}

interface Period {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

const DAY_MS = 86_400_000

/** Returns the days in UTC that lie completely within a period. */
function wholeDays(from: Date | undefined, to: Date | undefined): Period {
  return {
    from: from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS),
    to: to && new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS),
  }
}

function within(from: Date | undefined, to: Date | undefined): Prisma.Sql {
  const start = from ? Prisma.sql`AND created_at >= ${from}` : Prisma.empty
  return to ? Prisma.sql`${start} AND created_at < ${to}` : start
}

/** Returns the SQL condition for days between two midnights. */
export function daysWithin({ from, to }: Period): Prisma.Sql {
  const start = from ? Prisma.sql`AND day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date` : Prisma.empty
  return to ? Prisma.sql`${start} AND day < (${to}::timestamptz AT TIME ZONE 'UTC')::date` : start
}
