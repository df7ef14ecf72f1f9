import type { InboxAttachment, InboxItem, InboxType } from '@smsgw/contract/inbox/inbox'
import { z } from 'zod'
import type { Prisma } from '../store/generated/client.ts'
import type { MmsAnnouncement, ReceivedEvent } from '../webhooks/outbox/outbox-event.ts'

/** The columns of an inbox row from which events and answers are built. */
export const storedItem = z.object({
  id: z.string(),
  deviceId: z.string(),
  type: z.string(),
  sender: z.string(),
  recipient: z.string().nullable(),
  simNumber: z.int().nullable(),
  createdAt: z.date(),
  offsetMinutes: z.int(),
  text: z.string().nullable(),
  data: z.instanceof(Uint8Array).nullable(),
  port: z.int().nullable(),
  mms: z.unknown(),
  isEncrypted: z.boolean(),
})

type StoredItem = Readonly<z.output<typeof storedItem>>

export interface StoredAttachment extends Omit<InboxAttachment, 'partId'> {
  readonly partId: bigint
}

interface WithAttachments {
  readonly attachments?: readonly StoredAttachment[]
}

/** The Prisma selection of attachments without their octets. */
export const withAttachments = {
  attachments: {
    select: { partId: true, name: true, size: true, contentType: true },
    // Attachments of separate uploads can have the same position.
    orderBy: [{ position: 'asc' }, { partId: 'asc' }],
  },
} satisfies Prisma.InboxItemInclude

/** The webhook event of each type. */
export const eventOfType = {
  SMS: 'sms:received',
  DATA_SMS: 'sms:data-received',
  MMS: 'mms:received',
  MMS_DOWNLOADED: 'mms:downloaded',
} as const satisfies Record<InboxType, ReceivedEvent['event']>

/** Builds the webhook event of an item from its row alone, so that repeated deliveries are identical. */
export function receivedEventOf(item: StoredItem & WithAttachments): ReceivedEvent {
  const facts = {
    deviceId: item.deviceId,
    messageId: item.id,
    sender: item.sender,
    recipient: item.recipient,
    simNumber: item.simNumber ?? 0,
    receivedAt: { at: item.createdAt, offsetMinutes: item.offsetMinutes },
    isEncrypted: item.isEncrypted,
  }
  switch (item.type as InboxType) {
    case 'SMS':
      return { event: 'sms:received', ...facts, message: item.text ?? '' }
    case 'DATA_SMS':
      return { event: 'sms:data-received', ...facts, data: base64Of(item), port: item.port ?? 0 }
    case 'MMS':
      return { event: 'mms:received', ...facts, ...(item.mms as MmsAnnouncement) }
    case 'MMS_DOWNLOADED': {
      const { subject } = (item.mms ?? {}) as Partial<MmsAnnouncement>
      const attachments = (item.attachments ?? []).map(attachmentAnswer)
      return { event: 'mms:downloaded', ...facts, body: item.text ?? '', subject, attachments }
    }
  }
}

/** Returns a received message as the API shows it, with its attachments if they were read. */
export function inboxItemAnswer(item: StoredItem & { readonly attachments?: readonly StoredAttachment[] }): InboxItem {
  return {
    id: item.id,
    type: item.type as InboxType,
    sender: item.sender,
    ...(item.recipient !== null && { recipient: item.recipient }),
    ...(item.simNumber !== null && { simNumber: item.simNumber }),
    isEncrypted: item.isEncrypted,
    createdAt: item.createdAt.toISOString(),
    deviceId: item.deviceId,
    ...contentOf(item),
    ...(item.attachments && { attachments: item.attachments.map(attachmentAnswer) }),
  }
}

function attachmentAnswer({ partId, name, size, contentType }: StoredAttachment): InboxAttachment {
  return { partId: Number(partId), name, size, contentType }
}

const PREVIEWED_OCTETS = 64

function contentOf(item: StoredItem): Pick<InboxItem, 'contentPreview'> & Partial<InboxItem> {
  if (item.text !== null) return { contentPreview: item.text, text: item.text }
  if (item.data !== null) {
    const contentPreview = Buffer.from(item.data.subarray(0, PREVIEWED_OCTETS)).toString('hex')
    return { contentPreview, data: base64Of(item), ...(item.port !== null && { port: item.port }) }
  }
  const { expiresAt, ...mms } = item.mms as MmsAnnouncement
  const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }
  return { contentPreview: mms.subject ?? '', ...mms, ...expiry }
}

function base64Of({ data }: StoredItem): string {
  return Buffer.from(data ?? []).toString('base64')
}
