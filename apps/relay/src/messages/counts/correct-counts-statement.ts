import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow } from '../../store/read-rows.ts'

const dayRow = z.object({ day: z.date().nullable() })

/**
 * Returns the first day from `from` on that has messages or counts of an account, or undefined if there is none. Takes
 * no locks.
 */
export async function nextDayToCheck(statements: Statements, accountId: string, from: Date): Promise<Date | undefined> {
  const { day } = await readRow(
    statements,
    dayRow,
    Prisma.sql`
    SELECT (least(
      (SELECT min(day) FROM message_counts
        WHERE account_id = ${accountId} AND day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date),
      (SELECT (min(first.at) AT TIME ZONE 'UTC')::date
        FROM unnest(${messageStates}::message_state[]) AS one (state) CROSS JOIN LATERAL (
          SELECT min(created_at) AS at FROM messages
          WHERE account_id = ${accountId} AND state = one.state AND created_at >= ${from}) AS first)
    )::timestamp AT TIME ZONE 'UTC') AS day`,
  )
  return day ?? undefined
}

/**
 * Compares the counts of a period with the messages at one moment, and records each difference as a change, like a
 * trigger. Returns the number of wrong counts. Locks only the rows that it adds. Must run after `lockCountProgress`, so
 * that counting does not start again meanwhile.
 */
export async function correctCounts(
  statements: Statements,
  { accountId, from, to, counted }: { accountId: string; from: Date; to: Date; counted: bigint },
): Promise<number> {
  const isWithin = Prisma.sql`account_id = ${accountId}
    AND day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date AND day < (${to}::timestamptz AT TIME ZONE 'UTC')::date`
  return await statements.$executeRaw`
    WITH stored AS (
      SELECT device_id, state, day, sum(count) AS count FROM (
        SELECT device_id, state, day, count FROM message_counts WHERE ${isWithin}
        UNION ALL
        SELECT device_id, state, day, change FROM message_count_changes WHERE ${isWithin} AND message_key <= ${counted}
      ) AS one GROUP BY device_id, state, day
    ), actual AS (
      SELECT device_id, state, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS count FROM messages
      WHERE account_id = ${accountId} AND state = ANY(${messageStates}::message_state[])
        AND created_at >= ${from} AND created_at < ${to} AND key <= ${counted}
      GROUP BY device_id, state, (created_at AT TIME ZONE 'UTC')::date
    )
    INSERT INTO message_count_changes (account_id, message_key, day, device_id, state, change)
    SELECT ${accountId}, 0, day, device_id, state, coalesce(actual.count, 0) - coalesce(stored.count, 0)
    FROM stored FULL JOIN actual USING (device_id, state, day)
    WHERE coalesce(actual.count, 0) <> coalesce(stored.count, 0)`
}

/**
 * Makes the counts over all days equal to the sums of the days. Returns the number of wrong counts. Locks: these
 * counts, after `lockCountProgress`.
 */
export async function correctTotals(statements: Statements): Promise<number> {
  return await statements.$executeRaw`
    WITH sums AS (
      SELECT account_id, device_id, state, sum(count) AS count FROM message_counts
      WHERE day > '-infinity' GROUP BY account_id, device_id, state
    ), totals AS (
      SELECT account_id, device_id, state, count FROM message_counts WHERE day = '-infinity'
    )
    INSERT INTO message_counts AS c (account_id, day, device_id, state, count)
    SELECT account_id, '-infinity', device_id, state, coalesce(sums.count, 0)
    FROM sums FULL JOIN totals USING (account_id, device_id, state)
    WHERE coalesce(sums.count, 0) <> coalesce(totals.count, 0)
    ON CONFLICT (account_id, day, device_id, state) DO UPDATE SET count = excluded.count`
}

/** Deletes counts without messages, and those of removed accounts. Locks: these counts, after `lockCountProgress`. */
export async function deleteEmptyCounts(statements: Statements): Promise<void> {
  await statements.$executeRaw`
    WITH orphaned AS (
      DELETE FROM message_count_changes c WHERE NOT EXISTS (SELECT FROM accounts WHERE id = c.account_id)
    )
    DELETE FROM message_counts c WHERE count = 0 OR NOT EXISTS (SELECT FROM accounts WHERE id = c.account_id)`
}
