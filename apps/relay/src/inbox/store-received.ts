import type { Statements } from '../store/database.ts'
import { storableText } from '../store/storable.ts'
import { enqueueAgain, enqueueEvents } from '../webhooks/outbox/enqueue-events.ts'
import { insertReceived, type Received } from './insert-received-statement.ts'
import { receivedEventOf, type StoredAttachment } from './stored-item.ts'

/**
 * Stores a received message and its webhook deliveries in the caller's transaction. Storing it again is harmless,
 * because its id is derived from the message. A long message may be completed later, when its last parts arrive;
 * webhooks then receive the whole text under the same event id. Webhooks receive nothing from blocked numbers. Returns the number
 * of deliveries and notifications.
 */
export async function storeReceived(
  statements: Statements,
  device: { readonly id: string; readonly accountId: string },
  received: Received,
  now: Date,
): Promise<number> {
  const stored = await insertReceived(statements, device, received, now)
  const attachments =
    received.type === 'MMS_DOWNLOADED' ? await storeAttachments(statements, device, received) : undefined
  if (stored === undefined || stored.isBlocked) return 0
  const event = receivedEventOf({ ...stored, ...(attachments && { attachments }) })
  return await (stored.isNew ? enqueueEvents : enqueueAgain)(statements, device.accountId, [event])
}

/** Stores the attachments that are not stored yet. A phone may upload a message before it has downloaded all of them. */
async function storeAttachments(
  statements: Statements,
  { accountId }: { readonly accountId: string },
  { id, attachments }: Extract<Received, { type: 'MMS_DOWNLOADED' }>,
): Promise<StoredAttachment[]> {
  const item = await statements.inboxItem.findUniqueOrThrow({
    where: { accountId_id: { accountId, id: storableText(id) } },
    select: { key: true },
  })
  const rows = attachments.map(({ partId, name, contentType, octets }, position) => {
    const texts = { name: storableText(name), contentType: storableText(contentType) }
    return { inboxKey: item.key, partId: BigInt(partId), position, ...texts, size: octets.length, octets }
  })
  await statements.inboxAttachment.createMany({ data: rows.map(bytesForPrisma), skipDuplicates: true })
  return rows
}

/** The client accepts only arrays that own their buffer. */
function bytesForPrisma<Row extends { readonly octets: Uint8Array }>(row: Row) {
  return { ...row, octets: Uint8Array.from(row.octets) }
}
