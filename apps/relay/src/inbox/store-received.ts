import type { AgentEvent } from '@smsgw/contract/link/event'
import type { Statements } from '../store/database.ts'
import { storableJson, storableText } from '../store/storable.ts'
import { enqueueAgain, enqueueEvents } from '../webhooks/outbox/enqueue-events.ts'
import { eventTime } from '../webhooks/outbox/local-time.ts'
import { receivedEventOf, type StoredItem } from './stored-item.ts'

/** An agent's event for a received message. */
export type Received = Extract<AgentEvent, { kind: 'received' }>

/**
 * Stores a received message and its webhook deliveries in the caller's transaction. Repeating it is harmless, as its id
 * is derived from the message. A long message may be completed later, when its last parts arrive; webhooks then get the
 * whole text under the same event id.
 */
export async function storeReceived(
  statements: Statements,
  device: { readonly id: string; readonly accountId: string },
  received: Received,
  now: Date,
): Promise<void> {
  const stored = await insertOrComplete(statements, device, received, now)
  const event = stored && receivedEventOf(stored)
  if (event === undefined) return
  if (stored?.isNew) await enqueueEvents(statements, device.accountId, [event])
  else await enqueueAgain(statements, device.accountId, [event])
}

/** Returns undefined when it was stored before. One statement, so that two concurrent readings store it once. */
async function insertOrComplete(
  statements: Statements,
  device: { readonly id: string; readonly accountId: string },
  received: Received,
  now: Date,
): Promise<(StoredItem & { readonly isNew: boolean }) | undefined> {
  const { at, offsetMinutes } = eventTime(received.receivedAt, now)
  const { text, data, port, mms, isPartial } = contentOf(received)
  const recipient = received.recipient === undefined ? null : storableText(received.recipient)
  const [stored] = await statements.$queryRaw<(StoredItem & { isNew: boolean })[]>`
    INSERT INTO inbox (account_id, id, device_id, type, sender, recipient, sim_number, created_at, offset_minutes,
      text, data, port, mms, is_partial)
    VALUES (${device.accountId}, ${storableText(received.id)}, ${device.id}, ${received.type},
      ${storableText(received.sender)}, ${recipient}, ${received.simNumber}, ${at}, ${offsetMinutes},
      ${text}, ${data}, ${port}, ${mms}::jsonb, ${isPartial})
    ON CONFLICT (account_id, id) DO UPDATE SET text = excluded.text, data = excluded.data, is_partial = false
      WHERE inbox.is_partial AND NOT excluded.is_partial
    RETURNING id, device_id AS "deviceId", type, sender, recipient, sim_number AS "simNumber",
      created_at AS "createdAt", offset_minutes AS "offsetMinutes", text, data, port, mms, xmax = 0 AS "isNew"`
  return stored
}

function contentOf(received: Received) {
  const nothing = { text: null, data: null, port: null, mms: null, isPartial: false }
  switch (received.type) {
    case 'SMS':
      return { ...nothing, text: storableText(received.text), isPartial: received.isPartial ?? false }
    case 'DATA_SMS': {
      const data = Buffer.from(received.data, 'base64')
      return { ...nothing, data, port: received.port, isPartial: received.isPartial ?? false }
    }
    case 'MMS': {
      const { transactionId, subject, size, contentClass, contentLocation, expiresAt } = received
      const mms = { transactionId, subject, size, contentClass, contentLocation, expiresAt }
      return { ...nothing, mms: JSON.stringify(storableJson(mms)) }
    }
  }
}
