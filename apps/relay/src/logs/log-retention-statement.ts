import type { RetentionRule } from '../settings/retention.ts'
import type { Statements } from '../store/database.ts'

export const logRetention: RetentionRule = {
  name: 'log retention',
  days: ({ logs }) => logs.lifetime_days,
  deleteOlder: deleteOldLogs,
}

/** Deletes at most `limit` old log rows of an account and returns their number. Locks only these rows, for a short time. */
export function deleteOldLogs(statements: Statements, accountId: string, before: Date, limit: number): Promise<number> {
  return statements.$executeRaw`
    DELETE FROM logs WHERE id IN (
      SELECT id FROM logs WHERE account_id = ${accountId} AND created_at < ${before}
      ORDER BY created_at LIMIT ${limit})`
}
