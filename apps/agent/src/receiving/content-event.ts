import { type AgentEvent, longestLocation } from '@smsgw/contract/link/event'
import { decodeDataCodingScheme } from '@smsgw/sms/fields/data-coding-scheme'
import { textOfUserData, type UserData } from '@smsgw/sms/fields/user-data'
import { portsOf } from '@smsgw/sms/fields/user-data-header'
import { PduDecodeError } from '@smsgw/sms/pdu-error'
import { storable } from '@smsgw/sms/text/ucs2'
import { decodeMmsNotification, type MmsNotification } from '@smsgw/sms/wap/mms-notification'
import { decodeWspPush, mmsMediaType, wapPushPort } from '@smsgw/sms/wap/wsp-push'
import { derivedPduId } from './pdu-identity.ts'

type Received = Extract<AgentEvent, { kind: 'received' }>

export interface EventEnvelope {
  readonly id: string
  readonly sender: string
  readonly recipient: string | undefined
  readonly simNumber: number
  readonly iccid: string
  /** Local time with its offset. */
  readonly receivedAt: string
  readonly receivedMs: number
  /** Formats another time in the same way as `receivedAt`. */
  readonly local: (ms: number) => string
}

/** The content of a message with one part, or the joined content of all parts of a long message. */
export interface Content {
  /** Has more than one item if the parts use different alphabets. */
  readonly userData: readonly UserData[]
  readonly text: string | undefined
  readonly dataCodingScheme: number
  readonly parts: number
  readonly isPartial: boolean
}

/**
 * Returns the event for a received message: text, data for an application, or an MMS notification. Octets that are
 * neither text nor addressed to a port become data for port 0. Content that exceeds the limits of an event is
 * shortened, because the relay would refuse the event.
 */
export function contentEvent(envelope: EventEnvelope, content: Content): Received {
  const octets = joined(content.userData)
  const ports = content.userData.map(({ header }) => portsOf(header)).find((each) => each !== undefined)
  if (ports?.destination === wapPushPort && !content.isPartial) {
    const notification = notificationIn(octets)
    if (notification !== undefined) return mmsEvent(envelope, notification)
  }
  const common = head(envelope)
  const isCut = octets.length > mostOctets
  const partial = content.isPartial ? { isPartial: true } : {}
  if (ports === undefined && content.text !== undefined) {
    const isFlash = decodeDataCodingScheme(content.dataCodingScheme).messageClass === 0
    return {
      ...common,
      type: 'SMS',
      text: cut(content.text, 65_535),
      parts: content.parts,
      ...partial,
      ...(isFlash && { isFlash }),
    }
  }
  return {
    ...common,
    type: 'DATA_SMS',
    data: Buffer.from(octets.subarray(0, mostOctets)).toString('base64'),
    port: ports?.destination ?? 0,
    ...partial,
    ...(isCut && { isPartial: true }),
  }
}

function mmsEvent(envelope: EventEnvelope, notification: MmsNotification): Received {
  const { transactionId, from, subject, messageSizeOctets, contentClass, contentLocation, expiry } = notification
  return {
    ...head(envelope),
    // The network repeats the notification until the MMS is fetched, and all repetitions have the same id.
    id: derivedPduId(envelope.iccid, 'mms', transactionId, from ?? ''),
    sender: cut(from ?? envelope.sender, 128),
    type: 'MMS',
    transactionId: cut(transactionId, 256),
    size: Math.min(messageSizeOctets ?? 0, Number.MAX_SAFE_INTEGER),
    contentClass: cut(contentClass ?? '', 64),
    ...(subject !== undefined && { subject: cut(subject, 1024) }),
    ...(contentLocation !== undefined && { contentLocation: cut(contentLocation, longestLocation) }),
    ...(expiry !== undefined && {
      expiresAt: envelope.local(
        Math.min(
          expiry.kind === 'absolute' ? expiry.epochSeconds * 1000 : envelope.receivedMs + expiry.seconds * 1000,
          latestMs,
        ),
      ),
    }),
  }
}

function head({ id, sender, recipient, simNumber, receivedAt }: EventEnvelope) {
  return {
    kind: 'received' as const,
    id,
    receivedAt,
    sender: cut(sender, 128),
    simNumber,
    ...(recipient !== undefined && { recipient: cut(recipient, 128) }),
  }
}

/** Shortens a text without splitting a surrogate pair, and removes characters that PostgreSQL cannot store. */
function cut(text: string, most: number): string {
  return storable(text.slice(0, most))
}

/** The largest number of octets whose base64 text fits into an event. */
const mostOctets = 3 * Math.floor(65_535 / 4)
/** ISO 8601 writes years after 9999 differently. One day is left for time zones. */
const latestMs = Date.UTC(9999, 11, 30)

/** Returns undefined for other WAP pushes, because service indications use the same port. */
function notificationIn(octets: Uint8Array): MmsNotification | undefined {
  try {
    const push = decodeWspPush(octets)
    return push.contentType === mmsMediaType ? decodeMmsNotification(octets, push.bodyOffset) : undefined
  } catch (error) {
    if (error instanceof PduDecodeError) return undefined
    throw error
  }
}

function joined(userData: readonly UserData[]): Uint8Array {
  return Buffer.concat(userData.map(octetsOf))
}

function octetsOf(userData: UserData): Uint8Array {
  const text = userData.alphabet === 'octets' ? undefined : textOfUserData(userData)
  return text === undefined ? userData.units : Buffer.from(text, 'utf8')
}
