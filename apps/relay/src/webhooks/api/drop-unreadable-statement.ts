import type { Statements } from '../../store/database.ts'
import { deliveryProblemText } from '../delivery-problem.ts'

/**
 * Drops the pending deliveries of these events. Used when a caller has chosen a new URL but may not read these events:
 * without this, the new URL would receive them. Returns their number. The caller has locked the webhook, so
 * redeliveries wait.
 */
export function dropUnreadable(
  statements: Statements,
  webhookKey: bigint,
  unreadable: readonly { readonly event: string; readonly scopes: string }[],
): Promise<number> {
  const reasons = unreadable.map(({ scopes }) => deliveryProblemText('url_changed', { scopes }))
  return statements.$executeRaw`
    UPDATE webhook_deliveries d SET state = 'dropped', finished_at = now(), dropped_reason = unreadable.reason
    FROM unnest(${unreadable.map(({ event }) => event)}::text[], ${reasons}::text[]) AS unreadable (event, reason)
    WHERE d.webhook_key = ${webhookKey} AND d.state = 'waiting' AND d.event = unreadable.event`
}
