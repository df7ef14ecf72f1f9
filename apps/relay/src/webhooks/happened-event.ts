import type { SimCard } from '@smsgw/contract/link/event'
import type { LocalTime } from './local-time.ts'

/** What receivers are told of, with the facts that make it this event and no other. */
export type HappenedEvent = ReceivedEvent | OutboundEvent | DeviceEvent | BatchEvent

/** A message came in. */
export type ReceivedEvent = ReceivedText | ReceivedData | ReceivedMms

/** One recipient's message came to a state. */
export type OutboundEvent = Sent | Delivered | Failed | Cancelled

interface OfDevice {
  readonly deviceId: string
}

interface Inbound extends OfDevice {
  /** The inbox item's: the same however often the message is read. */
  readonly messageId: string
  readonly sender: string
  /** Null: the SIM does not tell its number and none is configured. */
  readonly recipient: string | null
  readonly simNumber: number
  readonly receivedAt: LocalTime
}

export interface ReceivedText extends Inbound {
  readonly event: 'sms:received'
  readonly message: string
}

export interface ReceivedData extends Inbound {
  readonly event: 'sms:data-received'
  /** Base64. */
  readonly data: string
  readonly port: number
}

export interface ReceivedMms extends Inbound, MmsNotification {
  readonly event: 'mms:received'
}

/** What the notification of a multimedia message tells. */
export interface MmsNotification {
  readonly transactionId: string
  readonly subject?: string
  readonly size: number
  /** Empty when unknown. */
  readonly contentClass: string
  readonly contentLocation?: string
  /** RFC 3339. */
  readonly expiresAt?: string
}

interface Outbound extends OfDevice {
  /** The recipient's row, which no other message ever has: message ids are the client's and may come back. */
  readonly cmdId: string
  readonly messageId: string
  readonly recipient: string
  /** The number of the SIM that sent it; null when unknown. */
  readonly sender: string | null
  /** Null: it ended before a SIM was chosen. */
  readonly simNumber: number | null
  readonly at: LocalTime
}

interface Sent extends Outbound {
  readonly event: 'sms:sent'
  readonly partsCount: number
}

interface Delivered extends Outbound {
  readonly event: 'sms:delivered'
}

interface Failed extends Outbound {
  readonly event: 'sms:failed'
  /** The stable code of the reason: a verdict of ignorance that was corrected may be followed by another failure. */
  readonly code: string
  readonly reason: string
}

interface Cancelled extends Outbound {
  readonly event: 'sms:cancelled'
}

type DeviceEvent = Ping | Started

interface Occurrence extends OfDevice {
  /** The journal and the number of the event in it: what tells it from the ones before and after. */
  readonly occurrence: string
}

interface Ping extends Occurrence {
  readonly event: 'system:ping'
  readonly health: Record<string, unknown>
}

interface Started extends Occurrence {
  readonly event: 'app:started'
  readonly simCards: readonly SimCard[]
}

/** Stored messages told again together. */
export type BatchEvent = TextBatch | DataBatch | MmsBatch

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
