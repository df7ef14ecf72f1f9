import type { Retention } from '../settings/retention.ts'

export const logRetention: Retention = {
  name: 'log retention',
  days: ({ logs }) => logs.lifetime_days,
  deleteOlder: (database, accountId, before, limit) => database.$executeRaw`
    DELETE FROM logs WHERE id IN (
      SELECT id FROM logs WHERE account_id = ${accountId} AND created_at < ${before}
      ORDER BY created_at LIMIT ${limit})`,
}
