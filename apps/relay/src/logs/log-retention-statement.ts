import { defaultSettings } from '@smsgw/contract/relay/settings'
import { z } from 'zod'
import type { RetentionRule } from '../settings/retention.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { type KeepPartitionsDeps, keepPartitions, makePartitionsAtStart } from '../store/partitions/keep-partitions.ts'
import { readRow } from '../store/read-rows.ts'

export const logRetention: RetentionRule = {
  name: 'log retention',
  days: ({ logs }) => logs.lifetime_days,
  deleteOlder: deleteOldLogs,
  longestDays: longestLogRetention,
}

const BY_DEFAULT = defaultSettings.logs.lifetime_days

const LOGS = {
  name: 'logs',
  column: 'created_at',
  keptDays: `SELECT coalesce(max(coalesce((settings #>> '{logs,lifetime_days}')::int, ${BY_DEFAULT})), ${BY_DEFAULT}) AS days
    FROM accounts`,
}

/** Makes the partitions of the next days and drops the partitions that no account needs any more. */
export async function keepLogPartitions(deps: KeepPartitionsDeps): Promise<void> {
  await keepPartitions(deps, LOGS)
}

/**
 * Makes the partitions of the next days. Other transactions that use the table delay the start by less than a second.
 */
export async function makeLogPartitionsAtStart(deps: KeepPartitionsDeps): Promise<void> {
  await makePartitionsAtStart(deps, LOGS)
}

/**
 * Deletes at most `limit` old log rows of an account and returns their number. Locks only these rows, for a short time.
 *
 * If the statement joined the table with the rows in `oldest`, PostgreSQL would read all rows of small partitions.
 * Because the condition contains the earliest and the latest time, PostgreSQL expects few rows. So it uses the index,
 * and skips the partitions of other days.
 */
export function deleteOldLogs(statements: Statements, accountId: string, before: Date, limit: number): Promise<number> {
  return statements.$executeRaw`
    WITH oldest AS MATERIALIZED (
      SELECT created_at, id FROM logs WHERE account_id = ${accountId} AND created_at < ${before}
      ORDER BY created_at, id LIMIT ${limit}
    )
    DELETE FROM logs WHERE account_id = ${accountId}
      AND created_at BETWEEN (SELECT min(created_at) FROM oldest) AND (SELECT max(created_at) FROM oldest)
      AND (created_at, id) <= (SELECT created_at, id FROM oldest ORDER BY created_at DESC, id DESC LIMIT 1)`
}

/** Returns the longest retention of all accounts in days. Takes no locks. */
export async function longestLogRetention(statements: Statements): Promise<number> {
  const { days } = await readRow(statements, daysRow, Prisma.raw(LOGS.keptDays))
  return days
}

const daysRow = z.object({ days: z.int() })
