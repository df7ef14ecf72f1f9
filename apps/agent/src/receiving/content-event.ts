import type { AgentEvent } from '@smsgw/contract/link/event'
import { decodeDataCodingScheme } from '@smsgw/sms/data-coding-scheme'
import { PduDecodeError } from '@smsgw/sms/pdu-error'
import { textOfUserData, type UserData } from '@smsgw/sms/user-data'
import { portsOf } from '@smsgw/sms/user-data-header'
import { decodeMmsNotification, type MmsNotification } from '@smsgw/sms/wap/mms-notification'
import { decodeWspPush, mmsMediaType, wapPushPort } from '@smsgw/sms/wap/wsp-push'
import { derivedId } from './derived-id.ts'

type Received = Extract<AgentEvent, { kind: 'received' }>

export interface Envelope {
  readonly id: string
  readonly sender: string
  readonly recipient: string | undefined
  readonly simNumber: number
  readonly iccid: string
  /** Local time with offset. */
  readonly receivedAt: string
  readonly receivedMs: number
  /** Writes another time in the same way. */
  readonly local: (ms: number) => string
}

/** A message of one part, or of all its parts joined. */
export interface Content {
  /** More than one when the parts were not all in one alphabet. */
  readonly userData: readonly UserData[]
  readonly text: string | undefined
  readonly dataCodingScheme: number
  readonly parts: number
  readonly isPartial: boolean
}

/**
 * What a message is: text, data for an application, or the notice of an MMS. What is neither text nor for a port is data
 * for port 0: raw octets are worth more than nothing.
 */
export function contentEvent(envelope: Envelope, content: Content): Received {
  const octets = joined(content.userData)
  const ports = content.userData.map(({ header }) => portsOf(header)).find((each) => each !== undefined)
  if (ports?.destination === wapPushPort && !content.isPartial) {
    const notification = notificationIn(octets)
    if (notification !== undefined) return mmsEvent(envelope, notification)
  }
  const common = head(envelope)
  const partial = content.isPartial ? { isPartial: true } : {}
  if (ports === undefined && content.text !== undefined) {
    const isFlash = decodeDataCodingScheme(content.dataCodingScheme).messageClass === 0
    return {
      ...common,
      type: 'SMS',
      text: content.text,
      parts: content.parts,
      ...partial,
      ...(isFlash && { isFlash }),
    }
  }
  return {
    ...common,
    type: 'DATA_SMS',
    data: Buffer.from(octets).toString('base64'),
    port: ports?.destination ?? 0,
    ...partial,
  }
}

function mmsEvent(envelope: Envelope, notification: MmsNotification): Received {
  const { transactionId, from, subject, messageSizeOctets, contentClass, contentLocation, expiry } = notification
  return {
    ...head(envelope),
    // The network pushes a notice again until the MMS is fetched: it is one all the same.
    id: derivedId(envelope.iccid, 'mms', transactionId, from ?? ''),
    sender: from ?? envelope.sender,
    type: 'MMS',
    transactionId: transactionId.slice(0, 256),
    size: messageSizeOctets ?? 0,
    contentClass: (contentClass ?? '').slice(0, 64),
    ...(subject !== undefined && { subject: subject.slice(0, 1024) }),
    ...(contentLocation !== undefined && { contentLocation: contentLocation.slice(0, 2048) }),
    ...(expiry !== undefined && {
      expiresAt: envelope.local(
        expiry.kind === 'absolute' ? expiry.epochSeconds * 1000 : envelope.receivedMs + expiry.seconds * 1000,
      ),
    }),
  }
}

function head({ id, sender, recipient, simNumber, receivedAt }: Envelope) {
  return {
    kind: 'received' as const,
    id,
    receivedAt,
    sender: sender.slice(0, 128),
    simNumber,
    ...(recipient !== undefined && { recipient }),
  }
}

/** Undefined when it is no notice of an MMS: service indications come to the same port. */
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
