import type { Retention } from '../settings/retention.ts'

/** Of the deliveries, so that a bulk of them can be told again. */
const MOST_DAYS = 30

/** What was told is kept no longer than the messages that it tells of. What waits is kept until it has been tried enough. */
export const deliveryRetention: Retention = {
  name: 'delivery retention',
  days: ({ messages }) => Math.min(MOST_DAYS, messages.log_lifetime_days),
  deleteOlder: (database, accountId, before, limit) => database.$executeRaw`
    DELETE FROM webhook_deliveries WHERE key IN (
      SELECT d.key FROM webhooks w JOIN webhook_deliveries d ON d.webhook_key = w.key
      WHERE w.account_id = ${accountId} AND d.state IN ('delivered', 'failed', 'dropped') AND d.created_at < ${before}
      LIMIT ${limit})`,
}
