import type { RetentionRule } from '../../settings/retention.ts'

const MOST_DAYS = 30

/**
 * Finished deliveries are kept as long as messages, but at most 30 days. Waiting deliveries are kept until their
 * schedule ends. If their webhook is paused, they are kept for the same time as finished deliveries. The statement
 * locks only the deleted rows, for a short time.
 */
export const deliveryRetention: RetentionRule = {
  name: 'delivery retention',
  days: ({ messages }) => Math.min(MOST_DAYS, messages.log_lifetime_days),
  deleteOlder: (database, accountId, before, limit) => database.$executeRaw`
    DELETE FROM webhook_deliveries WHERE key IN (
      SELECT d.key FROM webhooks w JOIN webhook_deliveries d ON d.webhook_key = w.key
      WHERE w.account_id = ${accountId}
        AND d.state = ANY (CASE WHEN w.held_since IS NULL THEN ARRAY['delivered', 'failed', 'dropped']
          ELSE ARRAY['delivered', 'failed', 'dropped', 'waiting'] END) AND d.created_at < ${before}
      LIMIT ${limit})`,
}
