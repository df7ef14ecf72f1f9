import { PduDecodeError } from '../pdu-error.ts'
import { isUtf16, textFromCharacterSet } from './character-set.ts'
import { WspReader, withoutQuote } from './wsp-reader.ts'

/**
 * M-Notification.ind (OMA-MMS-ENC 1.3 §6.2 and §7.3), which the MMS centre pushes when a multimedia message is waiting.
 * Only the transaction id is required: networks omit headers that the standard makes mandatory, and a notification
 * without a size is still useful. An invalid value counts as absent if its length shows where the next header starts.
 */
export interface MmsNotification {
  readonly transactionId: string
  /** '1.2' */
  readonly version?: string
  /** The number without the suffix /TYPE=PLMN, such as '+447785342749'; an e-mail address is unchanged. */
  readonly from?: string
  /** True if the network withholds the sender (insert-address-token). */
  readonly fromWithheld: boolean
  readonly subject?: string
  /** The class: 'personal', 'advertisement', 'informational', 'auto' or the text of another class. */
  readonly messageClass?: string
  readonly messageSizeOctets?: number
  readonly expiry?: MmsExpiry
  readonly contentLocation?: string
  readonly deliveryReport?: boolean
  /** The content class, such as 'text' or 'image-basic'; absent in most networks. */
  readonly contentClass?: string
}

export type MmsExpiry =
  | { readonly kind: 'absolute'; readonly epochSeconds: number }
  | { readonly kind: 'relative'; readonly seconds: number }

/** @param start start of the MMS PDU (the body of the push); offsets in errors count from the start of `octets` */
export function decodeMmsNotification(octets: Uint8Array, start = 0): MmsNotification {
  const reader = new WspReader(octets, start)
  const headers: Headers = {}
  while (reader.remaining > 0) decodeHeader(reader, headers)
  if (headers.messageType === undefined) throw new PduDecodeError('X-Mms-Message-Type', reader.position, 'is missing')
  const { messageType: _, unreadable: _unreadable, transactionId, fromWithheld = false, ...others } = headers
  if (transactionId === undefined) throw new PduDecodeError('X-Mms-Transaction-Id', reader.position, 'is missing')
  return { transactionId, fromWithheld, ...others }
}

/** Header field assignments, OMA-MMS-ENC 1.3 table 25. */
export const mmsHeaders = {
  contentLocation: 0x83,
  deliveryReport: 0x86,
  expiry: 0x88,
  from: 0x89,
  messageClass: 0x8a,
  messageType: 0x8c,
  version: 0x8d,
  messageSize: 0x8e,
  subject: 0x96,
  transactionId: 0x98,
  contentClass: 0xba,
} as const

/** The header names for error messages. */
const headerNames: ReadonlyMap<number, string> = new Map([
  [mmsHeaders.contentLocation, 'X-Mms-Content-Location'],
  [mmsHeaders.deliveryReport, 'X-Mms-Delivery-Report'],
  [mmsHeaders.expiry, 'X-Mms-Expiry'],
  [mmsHeaders.from, 'From'],
  [mmsHeaders.messageClass, 'X-Mms-Message-Class'],
  [mmsHeaders.version, 'X-Mms-MMS-Version'],
  [mmsHeaders.messageSize, 'X-Mms-Message-Size'],
  [mmsHeaders.subject, 'Subject'],
  [mmsHeaders.contentClass, 'X-Mms-Content-Class'],
])

export const notificationInd = 0x82
export const addressPresent = 0x80
export const insertAddress = 0x81
export const absoluteToken = 0x80
export const relativeToken = 0x81

export const messageClasses: readonly string[] = ['personal', 'advertisement', 'informational', 'auto']

export const contentClasses: readonly string[] = [
  'text',
  'image-basic',
  'image-rich',
  'video-basic',
  'video-rich',
  'megapixel',
  'content-basic',
  'content-rich',
]

type Writable<T> = { -readonly [Key in keyof T]?: T[Key] }
type Headers = Writable<MmsNotification> & { messageType?: number; unreadable?: number }

function decodeHeader(reader: WspReader, into: Headers): void {
  if (reader.first('MMS header') < 0x80) {
    // An application-header is a name and a value, both text (§7.1).
    reader.textString('MMS header')
    reader.textString('MMS header')
    return
  }
  const header = reader.octet('MMS header')
  switch (header) {
    case mmsHeaders.messageType:
      into.messageType = decodeMessageType(reader)
      break
    case mmsHeaders.transactionId:
      into.transactionId = textFromCharacterSet(reader.textString('X-Mms-Transaction-Id'))
      break
    default:
      decodeOptionalHeader(header, reader, into)
  }
}

function decodeOptionalHeader(header: number, reader: WspReader, into: Headers): void {
  const field = headerNames.get(header) ?? `MMS header 0x${header.toString(16)}`
  const value = reader.value(field)
  if (value === reader) {
    decodeOptionalValue(header, field, reader, into)
    return
  }
  const { unreadable = 0 } = into
  if (unreadable >= MAX_UNREADABLE) return
  try {
    decodeOptionalValue(header, field, value, into)
  } catch (error) {
    if (!(error instanceof PduDecodeError)) throw error
    into.unreadable = unreadable + 1
  }
}

/** No real PDU has so many invalid values. A PDU with more was forged to waste time, so the rest is skipped. */
const MAX_UNREADABLE = 32

function decodeOptionalValue(header: number, field: string, reader: WspReader, into: Headers): void {
  switch (header) {
    case mmsHeaders.version:
      decodeVersion(reader, field, into)
      break
    case mmsHeaders.from:
      decodeFrom(reader, field, into)
      break
    case mmsHeaders.subject:
      into.subject = decodeEncodedString(reader, field)
      break
    case mmsHeaders.messageClass:
      into.messageClass = decodeMessageClass(reader, field)
      break
    case mmsHeaders.messageSize:
      into.messageSizeOctets = reader.integer(field)
      break
    case mmsHeaders.expiry:
      into.expiry = decodeExpiry(reader, field)
      break
    case mmsHeaders.contentLocation:
      into.contentLocation = textFromCharacterSet(reader.textString(field))
      break
    case mmsHeaders.deliveryReport:
      decodeDeliveryReport(reader, field, into)
      break
    case mmsHeaders.contentClass:
      decodeContentClass(reader, field, into)
      break
    default:
      reader.skipValue(field)
  }
}

function decodeMessageType(reader: WspReader): number {
  const field = 'X-Mms-Message-Type'
  const offset = reader.position
  const type = reader.octet(field)
  if (type !== notificationInd) {
    throw new PduDecodeError(field, offset, `0x${type.toString(16)} is not M-Notification.ind (0x82)`)
  }
  return type
}

/** Skips a version in text form, which the standard allows but no network sends. */
function decodeVersion(reader: WspReader, field: string, into: Headers): void {
  const octet = reader.first(field)
  if (octet >= 0x80) into.version = versionText(octet)
  reader.skipValue(field)
}

/**
 * §7.3.34: a short-integer with three bits for the major version and four for the minor version; a minor version of 15
 * means that there is no minor version.
 */
function versionText(octet: number): string {
  const major = (octet >> 4) & 0x07
  const minor = octet & 0x0f
  return minor === 15 ? `${major}` : `${major}.${minor}`
}

function decodeFrom(reader: WspReader, field: string, into: Headers): void {
  const value = reader.part(field, reader.valueLength(field))
  const offset = value.position
  const token = value.octet(field)
  if (token === insertAddress) {
    into.fromWithheld = true
  } else if (token === addressPresent) {
    into.from = decodeEncodedString(value, field).replace(/\/TYPE=PLMN$/i, '')
  } else {
    throw new PduDecodeError(field, offset, `0x${token.toString(16)} is not an address token`)
  }
}

/**
 * Reads an encoded-string-value (§7.3.18): a text, or a length, a character set and a text. If the first octet is 128
 * or more, a quote should precede it, but many networks omit the quote. The value is a text with or without the quote.
 */
function decodeEncodedString(reader: WspReader, field: string): string {
  if (reader.first(field) >= 0x20) return textFromCharacterSet(reader.textString(field))
  const value = reader.part(field, reader.valueLength(field))
  if (value.remaining === 0) return ''
  const characterSet = value.integer(field)
  const octets = value.rest()
  if (isUtf16(characterSet)) return textFromCharacterSet(withoutEndOfUtf16(octets), characterSet)
  const end = octets.indexOf(0)
  return textFromCharacterSet(withoutQuote(end < 0 ? octets : octets.subarray(0, end)), characterSet)
}

/** Removes the final zero. Some networks send a zero of one octet, others a zero of two octets. */
function withoutEndOfUtf16(octets: Uint8Array): Uint8Array {
  const whole = octets.subarray(0, octets.length & ~1)
  const ended = whole.length >= 2 && whole[whole.length - 1] === 0 && whole[whole.length - 2] === 0
  return ended ? whole.subarray(0, -2) : whole
}

function decodeMessageClass(reader: WspReader, field: string): string {
  const octet = reader.first(field)
  if (octet < 0x80) return textFromCharacterSet(reader.textString(field)).toLowerCase()
  reader.octet(field)
  return messageClasses[octet - 0x80] ?? `0x${octet.toString(16)}`
}

function decodeExpiry(reader: WspReader, field: string): MmsExpiry {
  const value = reader.part(field, reader.valueLength(field))
  const offset = value.position
  const token = value.octet(field)
  if (token === absoluteToken) return { kind: 'absolute', epochSeconds: value.integer(field) }
  if (token === relativeToken) return { kind: 'relative', seconds: value.integer(field) }
  throw new PduDecodeError(field, offset, `0x${token.toString(16)} is neither absolute nor relative`)
}

function decodeDeliveryReport(reader: WspReader, field: string, into: Headers): void {
  const octet = reader.first(field)
  if (octet === yes || octet === no) into.deliveryReport = octet === yes
  reader.skipValue(field)
}

const yes = 0x80
const no = 0x81

function decodeContentClass(reader: WspReader, field: string, into: Headers): void {
  const name = contentClasses[reader.first(field) - 0x80]
  if (name !== undefined) into.contentClass = name
  reader.skipValue(field)
}
