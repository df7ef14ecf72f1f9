import type { InboxType } from '@smsgw/contract/inbox'
import type { MmsNotification, ReceivedEvent } from '../webhooks/outbox/outbox-event.ts'

/** The columns of an inbox row that events and answers are built from. */
export interface StoredItem {
  readonly id: string
  readonly deviceId: string
  readonly type: string
  readonly sender: string
  readonly recipient: string | null
  readonly simNumber: number | null
  readonly createdAt: Date
  readonly offsetMinutes: number
  readonly text: string | null
  readonly data: Uint8Array | null
  readonly port: number | null
  readonly mms: unknown
}

/** The webhook event of each type; null when there is none. */
export const eventOfType = {
  SMS: 'sms:received',
  DATA_SMS: 'sms:data-received',
  MMS: 'mms:received',
  MMS_DOWNLOADED: null,
} as const satisfies Record<InboxType, ReceivedEvent['event'] | null>

/** The webhook event of an item. Built from its row alone, so that repeated deliveries are identical. */
export function receivedEventOf(item: StoredItem): ReceivedEvent | undefined {
  const facts = {
    deviceId: item.deviceId,
    messageId: item.id,
    sender: item.sender,
    recipient: item.recipient,
    simNumber: item.simNumber ?? 0,
    receivedAt: { at: item.createdAt, offsetMinutes: item.offsetMinutes },
  }
  switch (item.type as InboxType) {
    case 'SMS':
      return { event: 'sms:received', ...facts, message: item.text ?? '' }
    case 'DATA_SMS':
      return { event: 'sms:data-received', ...facts, data: base64Of(item), port: item.port ?? 0 }
    case 'MMS':
      return { event: 'mms:received', ...facts, ...(item.mms as MmsNotification) }
    case 'MMS_DOWNLOADED':
      return undefined
  }
}

export function base64Of({ data }: StoredItem): string {
  return Buffer.from(data ?? []).toString('base64')
}
