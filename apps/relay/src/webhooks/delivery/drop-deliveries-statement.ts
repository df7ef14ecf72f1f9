import type { Statements } from '../../store/database.ts'
import { WEBHOOK_DISABLED } from '../outbox/insert-deliveries-statement.ts'

/**
 * Drops at most `limit` pending deliveries of a disabled webhook, so that no transaction holds many locks. Returns
 * their number. Does nothing if the webhook was enabled again.
 *
 * Locks the deliveries. So if a redelivery is requested at the same time, it waits, and then makes the deliveries due
 * again.
 */
export function dropDeliveries(statements: Statements, webhookKey: bigint, limit: number): Promise<number> {
  return statements.$executeRaw`
    UPDATE webhook_deliveries SET state = 'dropped', finished_at = now(), dropped_reason = ${WEBHOOK_DISABLED}
    WHERE key IN (SELECT d.key FROM webhook_deliveries d JOIN webhooks w ON w.key = d.webhook_key
      WHERE w.key = ${webhookKey} AND w.disabled_at IS NOT NULL AND d.state = 'waiting'
      LIMIT ${limit} FOR NO KEY UPDATE OF d)`
}
