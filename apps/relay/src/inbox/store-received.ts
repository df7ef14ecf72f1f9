// Inbound path, step 11: stores the message once. Next: enqueue-events.ts.

import { insertReceivedAttachment } from '../attachments/insert-received-attachment-statement.ts'
import type { Statements } from '../store/database.ts'
import { type RawStatements, together } from '../store/raw-statements.ts'
import { storableText } from '../store/storable.ts'
import { enqueueAgain, enqueueEvents, findWebhooks } from '../webhooks/outbox/enqueue-events.ts'
import type { RegisteredWebhook } from '../webhooks/outbox/lock-registered-statement.ts'
import type { ReceivedEvent } from '../webhooks/outbox/outbox-event.ts'
import { type FromAgent, insertReceived, type Received } from './insert-received-statement.ts'
import { eventOfType, receivedEventOf, withAttachments } from './stored-item.ts'

/**
 * Stores a received message and its webhook deliveries in the caller's transaction. Storing it again is harmless,
 * because its id is derived from the message. A long message is completed when its last parts arrive, and an MMS when
 * the phone has downloaded its other attachments. Webhooks then receive the whole message under the same event id.
 * Messages from blocked numbers are not sent to webhooks. Returns the number of deliveries and notifications.
 */
export async function storeUploaded(
  statements: Statements,
  device: ReceivingDevice,
  received: Received,
  now: Date,
): Promise<number> {
  if (received.type !== 'MMS_DOWNLOADED') return await storeReceived(statements, device, received, now)
  const stored = await insertReceived(statements, device, received, now)
  const added = await storeAttachments(statements, device, received)
  if (stored === undefined && added === 0) return 0
  return await notifyOfMms(statements, device, received, stored?.isNew ?? false)
}

/** Like `storeUploaded`, for a message that has no attachments yet. Needs raw statements only. */
export async function storeReceived(
  statements: RawStatements,
  device: ReceivingDevice,
  received: FromAgent,
  now: Date,
): Promise<number> {
  const { accountId } = device
  // Both statements are sent at once. Most received messages are new, so the webhooks are usually needed.
  const [stored, registered] = await together([
    insertReceived(statements, device, received, now),
    findWebhooks(statements, accountId, eventOfType[received.type]),
  ])
  if (stored === undefined || stored.isBlocked) return 0
  return await notify(statements, device, receivedEventOf(stored), { isNew: stored.isNew, registered })
}

interface ReceivingDevice {
  readonly id: string
  readonly accountId: string
}

function notify(
  statements: RawStatements,
  { accountId }: Account,
  event: ReceivedEvent,
  { isNew, registered }: { readonly isNew: boolean; readonly registered?: readonly RegisteredWebhook[] },
): Promise<number> {
  return isNew
    ? enqueueEvents(statements, accountId, [event], registered)
    : enqueueAgain(statements, accountId, [event], { registered })
}

interface Account {
  readonly accountId: string
}

/**
 * Notifies webhooks with all attachments that are stored by now. `insertReceived` has locked the row. So if there are
 * two uploads with different attachments, the later upload sees all attachments.
 */
async function notifyOfMms(
  statements: Statements,
  device: Account,
  { id }: Pick<Received, 'id'>,
  isNew: boolean,
): Promise<number> {
  const { accountId } = device
  const item = await statements.inboxItem.findUniqueOrThrow({
    where: { accountId_id: { accountId, id: storableText(id) } },
    include: withAttachments,
  })
  const state = await statements.conversationState.findUnique({
    where: { accountId_number: { accountId, number: item.sender } },
    select: { blockedAt: true },
  })
  return state?.blockedAt ? 0 : await notify(statements, device, receivedEventOf(item), { isNew })
}

/** Stores the attachments that are not stored yet, and returns their number. */
async function storeAttachments(
  statements: Statements,
  { accountId }: Account,
  { id, attachments }: Extract<Received, { type: 'MMS_DOWNLOADED' }>,
): Promise<number> {
  const item = await statements.inboxItem.findUniqueOrThrow({
    where: { accountId_id: { accountId, id: storableText(id) } },
    select: { key: true },
  })
  let added = 0
  // Stores the attachments one by one, so that only one of them is in memory twice.
  for (const [position, attachment] of attachments.entries())
    added += await insertReceivedAttachment(statements, { inboxKey: item.key, position }, attachment)
  return added
}
