import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { storableJson } from '../store/storable.ts'
import { eventId } from './event-id.ts'
import type { HappenedEvent } from './happened-event.ts'
import { payloadOf } from './payload.ts'

/**
 * Writes what happened into the outbox, in the caller's transaction: a row for each webhook of the account that is
 * registered for the event and the device. An event that is there already stays as it is. Gives how many are new.
 *
 * A disabled webhook gets rows that are not sent: whoever enables it again can have them redelivered.
 */
export function enqueueEvents(
  statements: Statements,
  accountId: string,
  happened: readonly HappenedEvent[],
): Promise<number> {
  return enqueue(statements, accountId, happened, Prisma.sql`DO NOTHING`)
}

/**
 * As `enqueueEvents`, but what is there already is delivered again, under the id that it has: also when it is just being
 * sent, for what comes of an attempt counts only for the row as it was when that began.
 */
export function enqueueAgain(
  statements: Statements,
  accountId: string,
  happened: readonly HappenedEvent[],
): Promise<number> {
  return enqueue(
    statements,
    accountId,
    happened,
    Prisma.sql`DO UPDATE SET payload = excluded.payload, state = excluded.state, finished_at = excluded.finished_at,
      attempts = 0, next_attempt_at = now()
      WHERE excluded.state = 'waiting'`,
  )
}

async function enqueue(
  statements: Statements,
  accountId: string,
  happened: readonly HappenedEvent[],
  whenThere: Prisma.Sql,
): Promise<number> {
  if (happened.length === 0) return 0
  const webhooks = await registered(statements, accountId, [...new Set(happened.map(({ event }) => event))])
  const rows = webhooks.flatMap((webhook) => deliveriesOf(accountId, webhook, happened))
  if (rows.length === 0) return 0
  // In one order for everybody, so that two transactions that tell the same events wait for each other and never both.
  const inOrder = [...new Map(rows.map((row) => [`${row.webhookKey} ${row.id}`, row])).entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row)
  return statements.$executeRaw`
    INSERT INTO webhook_deliveries (webhook_key, account_id, id, device_id, event, payload, state, finished_at)
    SELECT webhook_key, ${accountId}, id, device_id, event, payload,
      CASE WHEN disabled THEN 'dropped' ELSE 'waiting' END, CASE WHEN disabled THEN now() END
    FROM unnest(
      ${inOrder.map(({ webhookKey }) => webhookKey)}::bigint[], ${inOrder.map(({ id }) => id)}::text[],
      ${inOrder.map(({ deviceId }) => deviceId)}::text[], ${inOrder.map(({ event }) => event)}::text[],
      ${inOrder.map(({ payload }) => payload)}::jsonb[], ${inOrder.map(({ disabled }) => disabled)}::boolean[]
    ) AS row (webhook_key, id, device_id, event, payload, disabled)
    ON CONFLICT (webhook_key, id) ${whenThere}`
}

interface Registered {
  readonly key: bigint
  readonly id: string
  readonly event: string
  readonly deviceId: string | null
  readonly disabled: boolean
}

/**
 * Locks what it finds against deletion, as the foreign key of the rows would a moment later: a webhook that is deleted
 * in between is then not found, where the foreign key would fail the transaction of the event.
 */
function registered(statements: Statements, accountId: string, events: readonly string[]): Promise<Registered[]> {
  return statements.$queryRaw<Registered[]>`
    SELECT key, id, event, device_id AS "deviceId", disabled_at IS NOT NULL AS disabled FROM webhooks
    WHERE account_id = ${accountId} AND event = ANY(${events}::text[])
    ORDER BY key FOR KEY SHARE`
}

function deliveriesOf(accountId: string, webhook: Registered, happened: readonly HappenedEvent[]) {
  return happened
    .filter(({ event, deviceId }) => event === webhook.event && (webhook.deviceId ?? deviceId) === deviceId)
    .map((one) => ({
      webhookKey: webhook.key,
      disabled: webhook.disabled,
      id: eventId(accountId, webhook.id, one),
      deviceId: one.deviceId,
      event: one.event,
      payload: JSON.stringify(storableJson(payloadOf(one))),
    }))
}
