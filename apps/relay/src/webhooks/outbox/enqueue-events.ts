// Inbound path, step 12: adds a delivery for each webhook. Next: delivery-worker.ts.

import { enqueueNotifications } from '../../push/enqueue-notifications.ts'
import { type RawStatements, together } from '../../store/raw-statements.ts'
import { storableJson } from '../../store/storable.ts'
import { dlrType } from '../delivery/kannel-request.ts'
import { isStatusFormat, originOf, readCallback } from '../status-callback.ts'
import { eventId, outboundEventId } from './event-id.ts'
import { storedPayload, wasSent } from './event-payload.ts'
import { insertDeliveries } from './insert-deliveries-statement.ts'
import { lockRegistered, type RegisteredWebhook } from './lock-registered-statement.ts'
import type { EarlierEvent, OutboxEvent } from './outbox-event.ts'

/**
 * Adds events to the outbox in the caller's transaction: one delivery for each webhook of the account that is
 * registered for the event and the device. Existing deliveries are not changed. Also stores the notifications of
 * browsers. Returns the number of new deliveries and notifications. If it is 0, the outbox need not be woken.
 *
 * Deliveries of a disabled webhook are stored but not sent, so that they can be redelivered after it is enabled.
 *
 * @param registered the result of `findWebhooks`, if the caller has found the webhooks already
 */
export async function enqueueEvents(
  statements: RawStatements,
  accountId: string,
  events: readonly OutboxEvent[],
  registered?: Registered,
): Promise<number> {
  const [notifications, deliveries] = await together([
    enqueueNotifications(statements, accountId, events),
    enqueue(statements, accountId, events, { again: false, registered }),
  ])
  return notifications + deliveries
}

/** Finds the webhooks for the events with this name before the other facts of the events are known. */
export function findWebhooks(
  statements: RawStatements,
  accountId: string,
  event: OutboxEvent['event'],
): Promise<readonly RegisteredWebhook[]> {
  return lockRegistered(statements, accountId, [event], { keepUrl: false })
}

/**
 * Like `enqueueEvents`, but delivers existing events again under their original ids, even while they are being sent.
 * This is possible because the result of an attempt is valid only for the row version that was read for it. With
 * `inboxKeyOf`, a webhook receives only events of messages that were stored after its URL was set, and its URL cannot
 * change before the transaction ends.
 */
export function enqueueAgain(
  statements: RawStatements,
  accountId: string,
  events: readonly OutboxEvent[],
  { inboxKeyOf, registered }: { readonly inboxKeyOf?: InboxKeyOf | undefined; readonly registered?: Registered } = {},
): Promise<number> {
  return enqueue(statements, accountId, events, { again: true, inboxKeyOf, registered })
}

/** Returns the key of the oldest inbox row in the event. */
type InboxKeyOf = (event: OutboxEvent) => bigint

type Registered = readonly RegisteredWebhook[] | undefined

interface EnqueueOptions {
  readonly again: boolean
  readonly inboxKeyOf?: InboxKeyOf | undefined
  readonly registered?: Registered
}

async function enqueue(
  statements: RawStatements,
  accountId: string,
  events: readonly OutboxEvent[],
  { again, inboxKeyOf, registered }: EnqueueOptions,
): Promise<number> {
  if (events.length === 0) return 0
  const names = new Set(events.flatMap((one) => [one.event, followed(one)?.event ?? one.event]))
  const keepUrl = inboxKeyOf !== undefined
  const webhooks = registered ?? (await lockRegistered(statements, accountId, [...names], { keepUrl }))
  const deliveries = webhooks.flatMap((webhook) => {
    const isReadable = (one: OutboxEvent) => !inboxKeyOf || inboxKeyOf(one) > webhook.urlSinceInbox
    return deliveriesOf(accountId, webhook, events.filter(isReadable), webhooks)
  })
  return deliveries.length === 0 ? 0 : insertDeliveries(statements, accountId, deliveries, again)
}

function deliveriesOf(
  accountId: string,
  webhook: RegisteredWebhook,
  events: readonly OutboxEvent[],
  webhooks: readonly RegisteredWebhook[],
) {
  return events
    .filter((one) => isRegisteredFor(webhook, one) && isAboutItsMessages(webhook, one))
    .map((one) => ({
      webhookKey: webhook.key,
      disabled: webhook.disabled,
      id: eventId(accountId, webhook.id, one),
      deviceId: one.deviceId,
      event: one.event,
      follows: followedDelivery(accountId, webhook, one, webhooks),
      payload: JSON.stringify(storableJson(storedPayload(webhook.format, one))),
    }))
}

function isRegisteredFor(
  webhook: RegisteredWebhook,
  { event, deviceId }: Pick<OutboxEvent, 'event' | 'deviceId'>,
): boolean {
  return webhook.events.includes(event) && (webhook.deviceId ?? deviceId) === deviceId
}

/**
 * Returns true if the webhook may receive the event. A webhook for the status addresses of single messages receives
 * only events of messages whose address has the origin of the webhook, and only the kinds of events that the address
 * selects.
 */
function isAboutItsMessages({ format, url }: RegisteredWebhook, event: OutboxEvent): boolean {
  if (!isStatusFormat(format)) return true
  if (!('statusCallback' in event) || event.statusCallback === undefined) return false
  const callback = readCallback(event.statusCallback)
  if (callback.format !== format || originOf(callback) !== url) return false
  return callback.format !== 'kannel-dlr' || (callback.mask & (dlrType(event.event, wasSent(event)) ?? 0)) !== 0
}

function followed(event: OutboxEvent): EarlierEvent | undefined {
  return 'follows' in event ? event.follows : undefined
}

/** Returns the delivery of the earlier event to the same URL, or undefined if there is none. */
function followedDelivery(
  accountId: string,
  follower: RegisteredWebhook,
  event: OutboxEvent,
  webhooks: readonly RegisteredWebhook[],
) {
  const earlier = followed(event)
  if (earlier === undefined || !('cmdId' in event)) return undefined
  const { cmdId, deviceId } = event
  const sameUrl = [follower, ...webhooks.filter(({ url }) => url === follower.url)]
  const webhook = sameUrl.find(
    (one) =>
      isRegisteredFor(one, { event: earlier.event, deviceId }) &&
      isAboutItsMessages(one, { ...event, event: earlier.event, follows: undefined } as OutboxEvent),
  )
  return webhook && { webhookKey: webhook.key, id: outboundEventId(accountId, webhook.id, { ...earlier, cmdId }) }
}

/**
 * Wakes the delivery worker. No request waits for the worker, because deliveries are written in the transaction of
 * their event.
 */
export interface Outbox {
  /** Must be called after a commit that may have made deliveries due. Otherwise they are sent later. */
  wake(): void
}
