import type { Retention } from '../settings/retention.ts'

/** Received messages are kept as long as sent messages. Locks only the deleted rows, for a short time. */
export const inboxRetention: Retention = {
  name: 'inbox retention',
  days: ({ messages }) => messages.log_lifetime_days,
  deleteOlder: (database, accountId, before, limit) => database.$executeRaw`
    DELETE FROM inbox WHERE key IN (
      SELECT key FROM inbox WHERE account_id = ${accountId} AND created_at < ${before}
      ORDER BY created_at LIMIT ${limit})`,
}
