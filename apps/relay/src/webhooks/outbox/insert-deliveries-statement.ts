import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { deliveryProblemText } from '../delivery-problem.ts'
import { LONGEST_TURN, takesEvents } from './event-turn.ts'

interface NewDelivery {
  readonly webhookKey: bigint
  readonly id: string
  readonly deviceId: string
  readonly event: string
  /** The payload as JSON text. */
  readonly payload: string
  /** True if the webhook is disabled. The delivery is then stored as dropped. */
  readonly disabled: boolean
  /** The delivery that has to be attempted before this delivery. */
  readonly follows: { readonly webhookKey: bigint; readonly id: string } | undefined
}

/** The reason why a delivery of a disabled webhook is dropped. */
export const WEBHOOK_DISABLED = deliveryProblemText('webhook_disabled')

/**
 * Stores deliveries and returns how many were stored. Existing deliveries are not changed. If `again` is set and the
 * webhook is enabled, existing deliveries are delivered again with the new payload.
 *
 * A delivery that follows another delivery is due when the first attempt of the earlier delivery has ended
 * (`releaseFollowers`), or after `LONGEST_TURN`, so that workers do not read it too early.
 *
 * Locks: the deliveries that are followed. So their attempts are recorded only after this transaction, and the
 * recording sees the followers. SKIP LOCKED leaves out deliveries whose attempt is being recorded. Their followers are
 * due at once, and are checked when they are read. Rows are inserted in a fixed order, so that two transactions with
 * the same events cannot deadlock.
 */
export function insertDeliveries(
  statements: RawStatements,
  accountId: string,
  deliveries: readonly NewDelivery[],
  again: boolean,
): Promise<number> {
  const inOrder = [...new Map(deliveries.map((one) => [`${one.webhookKey} ${one.id}`, one])).entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, one]) => one)
  const column = <T>(of: (delivery: NewDelivery) => T) => inOrder.map(of)
  return statements.$executeRaw`
    WITH row AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column(({ webhookKey }) => webhookKey)}::bigint[], ${column(({ id }) => id)}::text[],
        ${column(({ deviceId }) => deviceId)}::text[], ${column(({ event }) => event)}::text[],
        ${column(({ payload }) => payload)}::jsonb[], ${column(({ disabled }) => disabled)}::boolean[],
        ${column(({ follows }) => follows?.webhookKey ?? null)}::bigint[],
        ${column(({ follows }) => follows?.id ?? null)}::text[]
      ) AS r (webhook_key, id, device_id, event, payload, disabled, follows_webhook_key, follows_id)
    ), stored AS MATERIALIZED (
      SELECT (SELECT d.key FROM webhook_deliveries d
        WHERE d.webhook_key = row.follows_webhook_key AND d.id = row.follows_id) AS key,
        row.follows_webhook_key AS webhook_key, row.follows_id AS id
      FROM row WHERE row.follows_id IS NOT NULL
    ), locked AS MATERIALIZED (
      SELECT d.webhook_key, d.id FROM webhook_deliveries d
      WHERE d.key = ANY (ARRAY(SELECT stored.key FROM stored)) AND d.state = 'waiting' AND d.tries = 0
      FOR SHARE OF d SKIP LOCKED
    ), earlier AS MATERIALIZED (
      SELECT one.webhook_key, one.id FROM (
        SELECT webhook_key, id FROM locked
        UNION ALL SELECT row.webhook_key, row.id FROM stored JOIN row USING (webhook_key, id)
          WHERE stored.key IS NULL AND NOT disabled
      ) AS one JOIN webhooks w1 ON w1.key = one.webhook_key
      WHERE ${takesEvents}
    )
    INSERT INTO webhook_deliveries (webhook_key, account_id, id, device_id, event, payload, state, finished_at,
      dropped_reason, follows_webhook_key, follows_id, next_attempt_at)
    SELECT webhook_key, ${accountId}, id, device_id, event, payload,
      CASE WHEN disabled THEN 'dropped' ELSE 'waiting' END, CASE WHEN disabled THEN now() END,
      CASE WHEN disabled THEN ${WEBHOOK_DISABLED} END,
      follows_webhook_key, follows_id,
      CASE WHEN (follows_webhook_key, follows_id) IN (SELECT webhook_key, id FROM earlier)
        THEN now() + ${LONGEST_TURN} ELSE now() END
    FROM row
    ON CONFLICT (webhook_key, id) ${again ? deliverAgain : Prisma.sql`DO NOTHING`}`
}

const deliverAgain = Prisma.sql`DO UPDATE SET payload = excluded.payload, state = excluded.state,
  finished_at = excluded.finished_at, dropped_reason = excluded.dropped_reason, attempts = 0, next_attempt_at = now()
  WHERE excluded.state = 'waiting'`
