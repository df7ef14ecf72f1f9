import type { InboxItem, InboxType } from '@smsgw/contract/inbox'
import type { MmsNotification } from '../webhooks/outbox/outbox-event.ts'
import { base64Of, type StoredItem } from './stored-item.ts'

/** The API representation of a received message. */
export function inboxItemAnswer(item: StoredItem): InboxItem {
  return {
    id: item.id,
    type: item.type as InboxType,
    sender: item.sender,
    ...(item.recipient !== null && { recipient: item.recipient }),
    ...(item.simNumber !== null && { simNumber: item.simNumber }),
    createdAt: item.createdAt.toISOString(),
    deviceId: item.deviceId,
    ...contentOf(item),
  }
}

const PREVIEWED_OCTETS = 64

function contentOf(item: StoredItem): Pick<InboxItem, 'contentPreview'> & Partial<InboxItem> {
  if (item.text !== null) return { contentPreview: item.text, text: item.text }
  if (item.data !== null) {
    const contentPreview = Buffer.from(item.data.subarray(0, PREVIEWED_OCTETS)).toString('hex')
    return { contentPreview, data: base64Of(item), ...(item.port !== null && { port: item.port }) }
  }
  const { expiresAt, ...mms } = item.mms as MmsNotification
  const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }
  return { contentPreview: mms.subject ?? '', ...mms, ...expiry }
}
