import { z } from 'zod'
import {
  type FromAgent,
  isFromBlocked,
  receivedColumns,
  receivedRow,
  receivedValues,
} from '../inbox/insert-received-statement.ts'
import { receivedEventOf } from '../inbox/stored-item.ts'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { notificationsOf } from '../push/enqueue-notifications.ts'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRows } from '../store/read-rows.ts'
import { storableJson, storableText } from '../store/storable.ts'
import type { DueDelivery } from '../webhooks/delivery/read-due-statement.ts'
import {
  type DueReceiver,
  dueReceiver,
  mayBeServed,
  ofReceiver,
} from '../webhooks/delivery/take-receivers-statement.ts'
import { sqlEventId } from '../webhooks/outbox/event-id.ts'
import { storedPayload } from '../webhooks/outbox/event-payload.ts'
import { WEBHOOK_DISABLED } from '../webhooks/outbox/insert-deliveries-statement.ts'
import type { ReceivedEvent } from '../webhooks/outbox/outbox-event.ts'
import { STATUS_FORMATS } from '../webhooks/status-callback.ts'

/** A received message whose event is alone in its batch. */
export interface SoleReceived {
  readonly connection: AgentConnection
  /** The number of the event in its journal. */
  readonly seq: number
  readonly tag: string | undefined
  readonly event: FromAgent
}

/** A worker that can serve more receivers. */
export interface FreeWorker {
  readonly worker: number
  readonly leaseSeconds: number
  /** The receivers that it already serves. */
  readonly busy: readonly bigint[]
  /** The number of receivers that it can serve in addition. */
  readonly limit: number
}

/** A receiver that the worker has to serve from now on, and its only due delivery. */
export interface TakenReceiver {
  readonly receiver: DueReceiver
  readonly delivery: DueDelivery
}

export interface StoredReceived {
  readonly taken: readonly TakenReceiver[]
  /** The number of new notifications, and of new deliveries whose receiver was not taken. */
  readonly enqueued: number
}

/** The columns of an outer join. */
function nullable<Shape extends z.ZodRawShape>(shape: Shape) {
  return Object.fromEntries(Object.entries(shape).map(([name, one]) => [name, z.nullable(one)])) as {
    [Name in keyof Shape]: z.ZodNullable<Shape[Name]>
  }
}

const storedRow = z.object({
  isStored: z.boolean(),
  enqueued: z.int(),
  ...nullable(dueReceiver.shape),
  deliveryKey: z.bigint().nullable(),
  deliveryId: z.string().nullable(),
  payload: z.unknown(),
  version: z.int().nullable(),
})

/**
 * Stores a received message, the mark of its journal, the deliveries to its webhooks and the notifications of browsers.
 * Also takes the free receivers of these deliveries for the worker. A single statement does this in one round trip and
 * one commit, which an idle relay needs for the shortest time until the webhook is called.
 *
 * Stores nothing and returns undefined if the message is not the next event of the newest connection of its device, or
 * if the inbox already has a message with its id. Then `recordBatches` decides what has to be stored. The mark is
 * compared in the row that this statement has locked. So if two relays, or a relay that was restarted, store the same
 * event, only one of them stores it.
 *
 * Takes only a receiver that nobody serves and that has no other due delivery, so the order of deliveries is kept. A
 * receiver that a killed worker has left is taken by `takeReceivers`.
 *
 * Locks in the order that `recordBatches` describes: device and journal first, webhooks last. Webhooks are locked
 * against deletion, as in `lockRegistered`. The lock for a lease does not wait (SKIP LOCKED).
 */
export async function storeSoleReceived(
  statements: RawStatements,
  { connection, seq, tag, event: received }: SoleReceived,
  now: Date,
  free: FreeWorker | undefined,
): Promise<StoredReceived | undefined> {
  const { accountId, deviceId, connEpoch, journalId } = connection
  const row = receivedRow(deviceId, received, now)
  const event = receivedEventOf(row)
  const payload = JSON.stringify(storableJson(storedPayload(null, event)))
  const [notification] = notificationsOf([event])
  const rows = await readRows(
    statements,
    storedRow,
    Prisma.sql`
    WITH journal AS MATERIALIZED (
      SELECT j.device_id, j.journal_id FROM devices d JOIN device_journals j ON j.device_id = d.id
      WHERE d.id = ${deviceId} AND d.account_id = ${accountId} AND d.conn_epoch = ${connEpoch}
        AND d.journal_id = ${journalId} AND d.deleted_at IS NULL
        AND j.journal_id = ${journalId} AND j.mark = ${seq - 1}
      FOR SHARE OF d FOR NO KEY UPDATE OF j
    ),
    received AS (
      INSERT INTO inbox (${receivedColumns})
      SELECT ${receivedValues(accountId, row)} FROM journal
      ON CONFLICT (account_id, id) DO NOTHING
      RETURNING ${isFromBlocked} AS is_blocked
    ),
    marked AS (
      UPDATE device_journals j SET mark = ${seq}, mark_tag = ${tag === undefined ? null : storableText(tag)}::text
      FROM journal, received WHERE j.device_id = journal.device_id AND j.journal_id = journal.journal_id
      RETURNING j.mark
    ),
    registered AS MATERIALIZED (
      SELECT w.key, w.id, w.disabled_at IS NOT NULL AS disabled FROM webhooks w
      WHERE w.account_id = ${accountId} AND ${event.event} = ANY (w.events)
        AND (w.device_id IS NULL OR w.device_id = ${deviceId})
        AND (w.format IS NULL OR w.format <> ALL (${[...STATUS_FORMATS]}::text[]))
        AND EXISTS (SELECT FROM received WHERE NOT is_blocked)
      ORDER BY w.key
      FOR KEY SHARE OF w
    ),
    delivered AS (
      INSERT INTO webhook_deliveries (webhook_key, account_id, id, device_id, event, payload, state, finished_at,
        dropped_reason)
      SELECT r.key, ${accountId}::text, ${sqlEventId(accountId, Prisma.sql`r.id`, event)}, ${deviceId}::text,
        ${event.event}::text, ${payload}::jsonb, CASE WHEN r.disabled THEN 'dropped' ELSE 'waiting' END, CASE WHEN r.disabled THEN now() END,
        CASE WHEN r.disabled THEN ${WEBHOOK_DISABLED}::text END
      FROM registered r
      ON CONFLICT (webhook_key, id) DO NOTHING
      RETURNING key, webhook_key, id, payload, version, state
    ),
    notified AS (
      INSERT INTO push_notifications (account_id, subscription_id, kind, topic, about, text)
      SELECT p.account_id, p.id, ${notification?.kind ?? null}::text, ${notification?.topic ?? null}::text,
        ${notification?.about ?? null}::text, CASE WHEN p.shows_text THEN ${notification?.text ?? null}::text END
      FROM push_subscriptions p
      WHERE p.account_id = ${accountId} AND ${notification?.kind ?? null}::text = ANY (p.events)
        AND EXISTS (SELECT FROM received WHERE NOT is_blocked)
      RETURNING key
    ),
    free AS MATERIALIZED (
      SELECT w.key FROM webhooks w
      WHERE w.key = ANY (ARRAY(SELECT d.webhook_key FROM delivered d WHERE d.state = 'waiting'))
        AND w.served_by IS NULL AND ${mayBeServed} AND w.key <> ALL (${[...(free?.busy ?? [])]}::bigint[])
        AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_key = w.key AND d.state = 'waiting'
          AND d.next_attempt_at <= now() + interval '1 millisecond')
      ORDER BY w.key LIMIT ${free?.limit ?? 0}::int
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ),
    taken AS (
      UPDATE webhooks w SET served_by = ${free?.worker ?? null}::int,
        served_until = now() + make_interval(secs => ${free?.leaseSeconds ?? 0}::int)
      FROM free, accounts a WHERE w.key = free.key AND a.id = w.account_id
      RETURNING ${ofReceiver}
    )
    SELECT EXISTS (SELECT FROM marked) AS "isStored",
      ((SELECT count(*) FROM delivered WHERE state = 'waiting') - (SELECT count(*) FROM taken)
        + (SELECT count(*) FROM notified))::int AS enqueued,
      taken.*, d.key AS "deliveryKey", d.id AS "deliveryId", d.payload, d.version
    FROM (VALUES (0)) AS one LEFT JOIN (taken JOIN delivered d ON d.webhook_key = taken.key) ON true`,
  )
  const [first] = rows
  if (first?.isStored !== true) return undefined
  return { enqueued: first.enqueued, taken: rows.flatMap((one) => takenReceiver(one, event)) }
}

function takenReceiver(row: z.output<typeof storedRow>, { deviceId, event }: ReceivedEvent): TakenReceiver[] {
  const { isStored: _, enqueued: __, deliveryKey, deliveryId, payload, version, ...receiver } = row
  if (deliveryKey === null || deliveryId === null || version === null) return []
  const taken = receiver as DueReceiver
  const ofEvent = { deviceId, event, payload, attempts: 0, ageSeconds: 0 }
  return [
    { receiver: taken, delivery: { key: deliveryKey, webhookKey: taken.key, id: deliveryId, version, ...ofEvent } },
  ]
}
