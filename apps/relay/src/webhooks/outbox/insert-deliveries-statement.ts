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
 *
 * The parameter is one JSON text. PostgreSQL would plan a statement with arrays again for each execution (0.3 ms),
 * because it expects more rows than the arrays have.
 */
export function insertDeliveries(
  statements: RawStatements,
  accountId: string,
  deliveries: readonly NewDelivery[],
  again: boolean,
): Promise<number> {
  const inOrder = [...new Map(deliveries.map((one) => [`${one.webhookKey} ${one.id}`, one])).entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, one]) => rowOf(one))
  return statements.$executeRaw`
    WITH row AS MATERIALIZED (
      SELECT webhook_key, id, device_id, event, payload::jsonb, disabled, follows_webhook_key, follows_id
      FROM json_to_recordset(${JSON.stringify(inOrder)}::json) AS r (webhook_key bigint, id text, device_id text,
        event text, payload text, disabled boolean, follows_webhook_key bigint, follows_id text)
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

function rowOf({ webhookKey, id, deviceId, event, payload, disabled, follows }: NewDelivery) {
  return {
    ...{ webhook_key: String(webhookKey), id, device_id: deviceId, event, payload, disabled },
    ...(follows && { follows_webhook_key: String(follows.webhookKey), follows_id: follows.id }),
  }
}

const deliverAgain = Prisma.sql`DO UPDATE SET payload = excluded.payload, state = excluded.state,
  finished_at = excluded.finished_at, dropped_reason = excluded.dropped_reason, attempts = 0, next_attempt_at = now()
  WHERE excluded.state = 'waiting'`
