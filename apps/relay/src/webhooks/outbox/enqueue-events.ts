import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { storableJson } from '../../store/storable.ts'
import { eventId, outboundEventId } from './event-id.ts'
import { payloadOf } from './event-payload.ts'
import { LONGEST_TURN, takesEvents } from './event-turn.ts'
import type { EarlierEvent, OutboxEvent } from './outbox-event.ts'

/**
 * Adds events to the outbox in the caller's transaction: one delivery for each webhook of the account that is
 * registered for the event and the device. Existing deliveries are not changed. Returns how many are new.
 *
 * Deliveries of a disabled webhook are stored but not sent, so that they can be redelivered after it is enabled.
 */
export function enqueueEvents(
  statements: Statements,
  accountId: string,
  outboxEvents: readonly OutboxEvent[],
): Promise<number> {
  return enqueue(statements, accountId, outboxEvents, Prisma.sql`DO NOTHING`)
}

/**
 * Like `enqueueEvents`, but delivers existing events again under their original ids, even while they are in flight: the
 * result of an attempt counts only for the row version that it read. With `inboxKeyOf`, a webhook receives only events of
 * messages that were stored since it has its URL, and the URL is locked until the transaction ends.
 */
export function enqueueAgain(
  statements: Statements,
  accountId: string,
  outboxEvents: readonly OutboxEvent[],
  inboxKeyOf?: InboxKeyOf,
): Promise<number> {
  return enqueue(
    statements,
    accountId,
    outboxEvents,
    Prisma.sql`DO UPDATE SET payload = excluded.payload, state = excluded.state, finished_at = excluded.finished_at,
      dropped_reason = excluded.dropped_reason, attempts = 0, next_attempt_at = now()
      WHERE excluded.state = 'waiting'`,
    inboxKeyOf,
  )
}

/**
 * An event whose predecessor has not been attempted yet is due when that attempt has ended (`recordAttempts`), or after
 * `LONGEST_TURN`, so that workers do not read it in vain.
 *
 * Locks: the predecessor, so that its attempt is recorded after this transaction and finds the event. A locked one is
 * being recorded: the event is due at once, and its turn is checked when it is read.
 */
async function enqueue(
  statements: Statements,
  accountId: string,
  outboxEvents: readonly OutboxEvent[],
  whenThere: Prisma.Sql,
  inboxKeyOf?: InboxKeyOf,
): Promise<number> {
  if (outboxEvents.length === 0) return 0
  const events = outboxEvents.flatMap((one) => [one.event, followed(one)?.event ?? one.event])
  const webhooks = await registered(statements, accountId, [...new Set(events)], inboxKeyOf)
  const rows = webhooks.flatMap((webhook) => {
    const isReadable = (one: OutboxEvent) => !inboxKeyOf || inboxKeyOf(one) > webhook.urlSinceInbox
    return deliveriesOf(accountId, webhook, outboxEvents.filter(isReadable), webhooks)
  })
  if (rows.length === 0) return 0
  // Always in the same order, so that two transactions with the same events cannot deadlock.
  const inOrder = [...new Map(rows.map((row) => [`${row.webhookKey} ${row.id}`, row])).entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row)
  return statements.$executeRaw`
    WITH row AS MATERIALIZED (
      SELECT * FROM unnest(
        ${inOrder.map(({ webhookKey }) => webhookKey)}::bigint[], ${inOrder.map(({ id }) => id)}::text[],
        ${inOrder.map(({ deviceId }) => deviceId)}::text[], ${inOrder.map(({ event }) => event)}::text[],
        ${inOrder.map(({ payload }) => payload)}::jsonb[], ${inOrder.map(({ disabled }) => disabled)}::boolean[],
        ${inOrder.map(({ follows }) => follows?.webhookKey ?? null)}::bigint[], ${inOrder.map(({ follows }) => follows?.id ?? null)}::text[]
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
    ON CONFLICT (webhook_key, id) ${whenThere}`
}

/** Returns the key of the oldest inbox row that the event is about. */
type InboxKeyOf = (event: OutboxEvent) => bigint

/** Why a delivery is dropped whose webhook is disabled. */
export const WEBHOOK_DISABLED = 'the webhook was disabled'

interface Registered {
  readonly key: bigint
  readonly id: string
  readonly url: string
  readonly event: string
  readonly deviceId: string | null
  readonly disabled: boolean
  readonly urlSinceInbox: bigint
}

/**
 * Finds the registered webhooks and locks them against deletion, as the foreign key of the deliveries would. A webhook
 * that is being deleted is then not found, while the foreign key would fail the transaction.
 */
function registered(
  statements: Statements,
  accountId: string,
  events: readonly string[],
  inboxKeyOf: InboxKeyOf | undefined,
): Promise<Registered[]> {
  const lock = inboxKeyOf ? Prisma.sql`FOR NO KEY UPDATE` : Prisma.sql`FOR KEY SHARE`
  return statements.$queryRaw<Registered[]>`
    SELECT key, id, url, event, device_id AS "deviceId", disabled_at IS NOT NULL AS disabled,
      url_since_inbox AS "urlSinceInbox"
    FROM webhooks WHERE account_id = ${accountId} AND event = ANY(${events}::text[])
    ORDER BY key ${lock}`
}

function deliveriesOf(
  accountId: string,
  webhook: Registered,
  outboxEvents: readonly OutboxEvent[],
  webhooks: readonly Registered[],
) {
  return outboxEvents
    .filter((one) => isRegisteredFor(webhook, one))
    .map((one) => ({
      webhookKey: webhook.key,
      disabled: webhook.disabled,
      id: eventId(accountId, webhook.id, one),
      deviceId: one.deviceId,
      event: one.event,
      follows: followedDelivery(accountId, webhook, one, webhooks),
      payload: JSON.stringify(storableJson(payloadOf(one))),
    }))
}

function isRegisteredFor(webhook: Registered, { event, deviceId }: Pick<OutboxEvent, 'event' | 'deviceId'>): boolean {
  return event === webhook.event && (webhook.deviceId ?? deviceId) === deviceId
}

function followed(outboxEvents: OutboxEvent): EarlierEvent | undefined {
  return 'follows' in outboxEvents ? outboxEvents.follows : undefined
}

/** The delivery of the earlier event to the same URL, if there is one. */
function followedDelivery(
  accountId: string,
  { url }: Registered,
  outboxEvents: OutboxEvent,
  webhooks: readonly Registered[],
) {
  const earlier = followed(outboxEvents)
  if (earlier === undefined || !('cmdId' in outboxEvents)) return undefined
  const { cmdId, deviceId } = outboxEvents
  const webhook = webhooks.find((one) => one.url === url && isRegisteredFor(one, { event: earlier.event, deviceId }))
  return webhook && { webhookKey: webhook.key, id: outboundEventId(accountId, webhook.id, { ...earlier, cmdId }) }
}

/**
 * Wakes the delivery worker. Deliveries are written in the transaction of their event, so nothing has to wait for the
 * worker.
 */
export interface Outbox {
  /** Call after the commit when deliveries may be due. Without it they are only sent later. */
  wake(): void
}
