import { checkedOctet, copyOf, joinOctets } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { textFromCharacterSet } from './character-set.ts'
import { WspReader } from './wsp-reader.ts'
import { encodeTextString, encodeUintvar, encodeWithLength } from './wsp-values.ts'

/**
 * A connectionless WSP Push in a short message to port 2948 (WAP-230 §8.2.4.1, WAP-235 §7.3.1): transaction id, PDU
 * type, length of the headers, content type, other headers, body.
 */
export interface WspPush {
  readonly transactionId: number
  readonly confirmed: boolean
  /** The content type in lower case, or its number if the code has no name in the table. */
  readonly contentType: string | number
  readonly body: Uint8Array
  /** The start of the body in the decoded octets. */
  readonly bodyOffset: number
}

export const wapPushPort = 2948
export const wapPushSourcePort = 9200
export const mmsMediaType = 'application/vnd.wap.mms-message'

export function decodeWspPush(octets: Uint8Array): WspPush {
  const reader = new WspReader(octets)
  const transactionId = reader.octet('TID')
  const typeOffset = reader.position
  const type = reader.octet('PDU type')
  if (type !== push && type !== confirmedPush) {
    throw new PduDecodeError('PDU type', typeOffset, `0x${type.toString(16)} is neither Push nor ConfirmedPush`)
  }
  const headers = reader.part('HeadersLen', reader.uintvar('HeadersLen'))
  const contentType = decodeContentType(headers)
  const bodyOffset = reader.position
  const body = copyOf(reader.rest())
  return { transactionId, confirmed: type === confirmedPush, contentType, body, bodyOffset }
}

/** The forms of the content type that networks use: a code, a text, or a code or text with parameters. */
export type ContentTypeForm = 'code' | 'text' | 'general'

export interface WspPushToEncode {
  readonly transactionId: number
  readonly confirmed?: boolean
  readonly contentType: string
  readonly contentTypeForm?: ContentTypeForm
  /** The encoded headers after the content type. */
  readonly headers?: Uint8Array
  readonly body: Uint8Array
}

export function encodeWspPush(pushed: WspPushToEncode): Uint8Array {
  const headers = joinOctets([
    encodeContentType(pushed.contentType, pushed.contentTypeForm ?? 'code'),
    pushed.headers ?? new Uint8Array(0),
  ])
  return joinOctets([
    checkedOctet(pushed.transactionId, 'TID'),
    pushed.confirmed ? confirmedPush : push,
    encodeUintvar(headers.length),
    headers,
    pushed.body,
  ])
}

const push = 0x06
const confirmedPush = 0x07

/** WAP-230 table 40 and the OMNA list: the types that are pushed to phones. */
const mediaTypes: ReadonlyMap<number, string> = new Map([
  [0x00, '*/*'],
  [0x02, 'text/html'],
  [0x03, 'text/plain'],
  [0x08, 'text/vnd.wap.wml'],
  [0x2d, 'text/vnd.wap.si'],
  [0x2e, 'application/vnd.wap.sic'],
  [0x2f, 'text/vnd.wap.sl'],
  [0x30, 'application/vnd.wap.slc'],
  [0x31, 'text/vnd.wap.co'],
  [0x32, 'application/vnd.wap.coc'],
  [0x35, 'text/vnd.wap.connectivity-xml'],
  [0x36, 'application/vnd.wap.connectivity-wbxml'],
  [0x3e, mmsMediaType],
  [0x42, 'application/vnd.syncml.dm+wbxml'],
  [0x44, 'application/vnd.syncml.notification'],
  [0x4a, 'application/vnd.oma.drm.rights+xml'],
  [0x4b, 'application/vnd.oma.drm.rights+wbxml'],
])

const field = 'Content-Type'

function decodeContentType(headers: WspReader): string | number {
  const first = headers.first(field)
  if (first < 0x20) return decodeMediaType(headers.part(field, headers.valueLength(field)))
  return decodeMediaType(headers)
}

/** Ignores the parameters after the media type of the general form. */
function decodeMediaType(reader: WspReader): string | number {
  const first = reader.first(field)
  if (first >= 0x20 && first < 0x80) return textFromCharacterSet(reader.textString(field)).toLowerCase()
  const code = reader.integer(field)
  return mediaTypes.get(code) ?? code
}

function encodeContentType(contentType: string, form: ContentTypeForm): Uint8Array {
  // Refuses an empty text: it would be encoded as a single zero, which is decoded as a length.
  if (contentType === '') throw new PduEncodeError(field, 'is empty')
  const asText = encodeTextString(field, contentType)
  if (form === 'text') return asText
  const code = [...mediaTypes].find(([, name]) => name === contentType)?.[0]
  if (form === 'code') {
    if (code === undefined) throw new PduEncodeError(field, `${contentType} has no code`)
    return Uint8Array.of(0x80 | code)
  }
  return encodeWithLength(joinOctets([code === undefined ? asText : 0x80 | code, charsetUtf8Parameter]))
}

/** charset=utf-8: well-known parameter 0x01, MIBenum 106. */
const charsetUtf8Parameter = Uint8Array.of(0x81, 0xea)
