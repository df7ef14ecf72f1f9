import type { InboxAttachment } from '@smsgw/contract/inbox/inbox'
import type { SimCard } from '@smsgw/contract/link/event'
import type { Health } from '@smsgw/contract/relay/health'
import type { LocalTime } from './local-time.ts'

/** An event for webhooks, with the facts that identify it. */
export type OutboxEvent = ReceivedEvent | OutboundEvent | DeviceEvent | BatchEvent

/** A message was received. */
export type ReceivedEvent = ReceivedText | ReceivedData | ReceivedMms | ReceivedMmsContent

/** A sent message reached a state for one recipient. */
export type OutboundEvent = Sent | Delivered | Failed | Cancelled

interface OfDevice {
  readonly deviceId: string
}

interface Inbound extends OfDevice {
  /** The id of the inbox item. It is the same each time the message is read from the SIM. */
  readonly messageId: string
  readonly sender: string
  /** The phone number of the SIM; null if the SIM does not report it and none is configured. */
  readonly recipient: string | null
  readonly simNumber: number
  readonly receivedAt: LocalTime
  /** True if the content is encrypted, with the key of the account or by a phone. */
  readonly isEncrypted?: boolean | undefined
}

export interface ReceivedText extends Inbound {
  readonly event: 'sms:received'
  readonly message: string
}

export interface ReceivedData extends Inbound {
  readonly event: 'sms:data-received'
  /** The data in base64. */
  readonly data: string
  readonly port: number
}

export interface ReceivedMms extends Inbound, MmsAnnouncement {
  readonly event: 'mms:received'
}

/** An MMS with its content, which a phone has downloaded. */
export interface ReceivedMmsContent extends Inbound {
  readonly event: 'mms:downloaded'
  readonly body: string
  readonly subject: string | undefined
  /** The attachments without their octets, which receivers download from the API. */
  readonly attachments: readonly InboxAttachment[]
}

/** The content of an MMS notification. */
export interface MmsAnnouncement {
  readonly transactionId: string
  readonly subject?: string
  readonly size: number
  /** Empty when unknown. */
  readonly contentClass: string
  readonly contentLocation?: string
  /** The time in the format of RFC 3339. */
  readonly expiresAt?: string
}

interface Outbound extends OfDevice {
  /** The unique id of the recipient. A message id is not sufficient, because clients choose it and may use it again. */
  readonly cmdId: string
  readonly messageId: string
  readonly recipient: string
  /** The phone number of the sending SIM; null if it is unknown. */
  readonly sender: string | null
  /** The SIM; null if the message ended before one of several SIMs was chosen. */
  readonly simNumber: number | null
  readonly at: LocalTime
  /** True if the message was sent again after an unknown outcome. */
  readonly possibleDuplicate?: boolean | undefined
  /** The address to which the states of the message are reported, in its stored form (see `status-callback.ts`). */
  readonly statusCallback?: string | undefined
  /** The previous event, which has to be attempted first. */
  readonly follows?: EarlierEvent | undefined
}

export type EarlierEvent =
  | { readonly event: 'sms:sent'; readonly code?: undefined }
  | { readonly event: 'sms:failed'; readonly code: string }

interface Sent extends Outbound {
  readonly event: 'sms:sent'
  readonly partsCount: number
}

interface Delivered extends Outbound {
  readonly event: 'sms:delivered'
}

interface Failed extends Outbound {
  readonly event: 'sms:failed'
  /** The stable failure code. It is part of the event id, because a second failure may follow a corrected failure. */
  readonly code: string
  readonly reason: string
}

interface Cancelled extends Outbound {
  readonly event: 'sms:cancelled'
}

type DeviceEvent = Call | Ping | Started

interface Occurrence extends OfDevice {
  /** The journal id and the sequence number of the event. */
  readonly occurrence: string
}

interface Call extends Occurrence {
  readonly event: 'call:received'
  readonly simNumber: number
  /** The number of the caller; null if the caller withheld it. */
  readonly caller: string | null
  readonly recipient: string | null
  readonly receivedAt: LocalTime
}

interface Ping extends Occurrence {
  readonly event: 'system:ping'
  readonly health: Health
}

interface Started extends Occurrence {
  readonly event: 'app:started'
  readonly simCards: readonly SimCard[]
}

/** Received messages that are delivered again in one event. */
export type BatchEvent = TextBatch | DataBatch | MmsBatch | MmsContentBatch

interface TextBatch extends OfDevice {
  readonly event: 'sms:batch:received'
  readonly messages: readonly ReceivedText[]
}

interface DataBatch extends OfDevice {
  readonly event: 'sms:batch:data-received'
  readonly messages: readonly ReceivedData[]
}

interface MmsBatch extends OfDevice {
  readonly event: 'mms:batch:received'
  readonly messages: readonly ReceivedMms[]
}

interface MmsContentBatch extends OfDevice {
  readonly event: 'mms:batch:downloaded'
  readonly messages: readonly ReceivedMmsContent[]
}
