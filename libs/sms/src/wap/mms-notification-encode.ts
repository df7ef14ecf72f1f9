import { joinOctets } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { characterSets, utf8FromText } from './character-set.ts'
import {
  absoluteToken,
  addressPresent,
  contentClasses,
  insertAddress,
  type MmsExpiry,
  type MmsNotification,
  messageClasses,
  mmsHeaders,
  notificationInd,
  relativeToken,
} from './mms-notification.ts'
import { encodeUintvar } from './uintvar.ts'

/** M-Notification.ind with its headers in the order in which MMS centres send them; an absent member sends no header. */
export function encodeMmsNotification(notification: MmsNotification): Uint8Array {
  const parts = [
    Uint8Array.of(mmsHeaders.messageType, notificationInd),
    header(mmsHeaders.transactionId, textString('X-Mms-Transaction-Id', notification.transactionId)),
  ]
  const add = <T>(code: number, value: T | undefined, encode: (value: T) => Uint8Array) => {
    if (value !== undefined) parts.push(header(code, encode(value)))
  }
  add(mmsHeaders.version, notification.version, encodeVersion)
  if (notification.fromWithheld) parts.push(header(mmsHeaders.from, Uint8Array.of(1, insertAddress)))
  else add(mmsHeaders.from, notification.from, encodeFrom)
  add(mmsHeaders.subject, notification.subject, (text) => encodedString('Subject', text))
  add(mmsHeaders.deliveryReport, notification.deliveryReport, (wanted) => Uint8Array.of(wanted ? 0x80 : 0x81))
  add(mmsHeaders.messageClass, notification.messageClass, encodeMessageClass)
  add(mmsHeaders.messageSize, notification.messageSizeOctets, longInteger)
  add(mmsHeaders.expiry, notification.expiry, encodeExpiry)
  add(mmsHeaders.contentClass, notification.contentClass, encodeContentClass)
  add(mmsHeaders.contentLocation, notification.contentLocation, (uri) => textString('X-Mms-Content-Location', uri))
  return joinOctets(parts)
}

function header(code: number, value: Uint8Array): Uint8Array {
  return joinOctets([Uint8Array.of(code), value])
}

function encodeVersion(version: string): Uint8Array {
  const [, major, minor] = /^([1-7])(?:\.(\d|1[0-4]))?$/.exec(version) ?? []
  if (major === undefined) throw new PduEncodeError('X-Mms-MMS-Version', `${version} is no version`)
  return Uint8Array.of(0x80 | (Number(major) << 4) | (minor === undefined ? 15 : Number(minor)))
}

function encodeFrom(from: string): Uint8Array {
  const address = from.includes('@') ? from : `${from}/TYPE=PLMN`
  return withValueLength(joinOctets([Uint8Array.of(addressPresent), encodedString('From', address)]))
}

function encodeMessageClass(name: string): Uint8Array {
  const index = messageClasses.indexOf(name)
  return index < 0 ? textString('X-Mms-Message-Class', name) : Uint8Array.of(0x80 + index)
}

function encodeExpiry(expiry: MmsExpiry): Uint8Array {
  const [token, seconds] =
    expiry.kind === 'absolute' ? [absoluteToken, expiry.epochSeconds] : [relativeToken, expiry.seconds]
  return withValueLength(joinOctets([Uint8Array.of(token), longInteger(seconds)]))
}

function encodeContentClass(name: string): Uint8Array {
  const index = contentClasses.indexOf(name)
  if (index < 0) throw new PduEncodeError('X-Mms-Content-Class', `${name} is no content class`)
  return Uint8Array.of(0x80 + index)
}

/** ASCII goes as a plain text, everything else as UTF-8 with its character set named (OMA-MMS-ENC 1.3 §7.3.18). */
function encodedString(field: string, text: string): Uint8Array {
  const encoded = textString(field, text)
  const isAscii = utf8FromText(text).length === text.length
  return isAscii ? encoded : withValueLength(joinOctets([Uint8Array.of(0x80 | characterSets.utf8), encoded]))
}

function textString(field: string, text: string): Uint8Array {
  const octets = utf8FromText(text)
  const first = octets[0] ?? 0x20
  if (octets.includes(0)) throw new PduEncodeError(field, 'a text cannot hold a zero')
  // a first octet below 32 would be taken for a length
  if (first < 0x20) throw new PduEncodeError(field, 'a text cannot begin with a control character')
  const quote = first >= textQuote ? [textQuote] : []
  return Uint8Array.of(...quote, ...octets, 0)
}

const textQuote = 0x7f

function withValueLength(value: Uint8Array): Uint8Array {
  if (value.length <= 30) return joinOctets([Uint8Array.of(value.length), value])
  return joinOctets([Uint8Array.of(31), encodeUintvar(value.length), value])
}

function longInteger(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new PduEncodeError('long-integer', `${value} does not fit`)
  const octets = [value % 0x100]
  for (let rest = Math.floor(value / 0x100); rest > 0; rest = Math.floor(rest / 0x100)) octets.unshift(rest % 0x100)
  return Uint8Array.of(octets.length, ...octets)
}
