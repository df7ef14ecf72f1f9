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
import { encodeLongInteger, encodeTextString, encodeWithLength } from './wsp-values.ts'

/** Encodes M-Notification.ind with the headers in the order of real MMS centres; an absent member has no header. */
export function encodeMmsNotification(notification: MmsNotification): Uint8Array {
  const parts = [
    Uint8Array.of(mmsHeaders.messageType, notificationInd),
    header(mmsHeaders.transactionId, encodeTextString('X-Mms-Transaction-Id', notification.transactionId)),
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
  add(mmsHeaders.messageSize, notification.messageSizeOctets, encodeLongInteger)
  add(mmsHeaders.expiry, notification.expiry, encodeExpiry)
  add(mmsHeaders.contentClass, notification.contentClass, encodeContentClass)
  add(mmsHeaders.contentLocation, notification.contentLocation, (uri) =>
    encodeTextString('X-Mms-Content-Location', uri),
  )
  return joinOctets(parts)
}

function header(code: number, value: Uint8Array): Uint8Array {
  return joinOctets([Uint8Array.of(code), value])
}

function encodeVersion(version: string): Uint8Array {
  const [, major, minor] = /^([1-7])(?:\.(\d|1[0-4]))?$/.exec(version) ?? []
  if (major === undefined)
    throw new PduEncodeError('X-Mms-MMS-Version', `"${version}" is not a version: use a format like 1.2`)
  return Uint8Array.of(0x80 | (Number(major) << 4) | (minor === undefined ? 15 : Number(minor)))
}

function encodeFrom(from: string): Uint8Array {
  const hasType = from.includes('@') || /\/TYPE=/i.test(from)
  const address = hasType ? from : `${from}/TYPE=PLMN`
  return encodeWithLength(joinOctets([Uint8Array.of(addressPresent), encodedString('From', address)]))
}

function encodeMessageClass(name: string): Uint8Array {
  const index = messageClasses.indexOf(name)
  return index < 0 ? encodeTextString('X-Mms-Message-Class', name) : Uint8Array.of(0x80 + index)
}

function encodeExpiry(expiry: MmsExpiry): Uint8Array {
  const [token, seconds] =
    expiry.kind === 'absolute' ? [absoluteToken, expiry.epochSeconds] : [relativeToken, expiry.seconds]
  return encodeWithLength(joinOctets([Uint8Array.of(token), encodeLongInteger(seconds)]))
}

function encodeContentClass(name: string): Uint8Array {
  const index = contentClasses.indexOf(name)
  if (index < 0)
    throw new PduEncodeError(
      'X-Mms-Content-Class',
      `"${name}" is not a content class: use one of ${contentClasses.join(', ')}`,
    )
  return Uint8Array.of(0x80 + index)
}

/** Encodes ASCII as plain text, and other text as UTF-8 with its character set (OMA-MMS-ENC 1.3 §7.3.18). */
function encodedString(field: string, text: string): Uint8Array {
  const encoded = encodeTextString(field, text)
  const isAscii = utf8FromText(text).length === text.length
  return isAscii ? encoded : encodeWithLength(joinOctets([Uint8Array.of(0x80 | characterSets.utf8), encoded]))
}
