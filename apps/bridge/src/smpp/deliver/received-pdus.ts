import type { InboxItem } from '@smsgw/client/openapi'
import { concatenationElement, encodeUserDataHeader, portsElement } from '@smsgw/sms/fields/user-data-header'
import { encodeText, type SmppAlphabet } from '../protocol/data-coding.ts'
import { fields, type SmeAddress, TLV, tlv } from '../protocol/fields.ts'

/** esm_class: the user data begins with a header. */
const HAS_HEADER = 0x40
const BINARY = 4
/** short_message has up to 254 octets. Each part fits into one SMS, because some clients expect this. */
const LONGEST_SHORT = 254
const PART_OCTETS = { 0: 153, 8: 134 } as const

export interface ReceivedOptions {
  readonly alphabet: SmppAlphabet
  /** The form of a text that is longer than one short_message: in message_payload or in several deliver_sm. */
  readonly longText: 'payload' | 'parts'
  /** The reference of the parts; the same for each repetition. */
  readonly reference: number
}

/**
 * Returns the bodies of the deliver_sm for a received message. Returns several bodies if the text is delivered in
 * parts.
 */
export function receivedPdus(item: InboxItem, { alphabet, longText, reference }: ReceivedOptions): Uint8Array[] {
  const pdu = (esmClass: number, dataCoding: number, octets: Uint8Array) => body(item, esmClass, dataCoding, octets)
  if (item.data !== undefined) {
    const ports = portsElement({ width: 16, destination: item.port ?? 0, source: 0 })
    const userData = Buffer.concat([encodeUserDataHeader([ports]), Buffer.from(item.data, 'base64')])
    return [pdu(HAS_HEADER, BINARY, userData)]
  }
  const { dataCoding, octets } = encodeText(item.text ?? item.contentPreview, alphabet)
  if (octets.length <= LONGEST_SHORT || longText === 'payload') return [pdu(0, dataCoding, octets)]
  const parts = split(octets, PART_OCTETS[dataCoding], dataCoding)
  // The sequence number is one octet.
  if (parts.length > 255) return [pdu(0, dataCoding, octets)]
  return parts.map((part, at) => {
    const position = concatenationElement({
      width: 8,
      reference: reference & 0xff,
      total: parts.length,
      sequence: at + 1,
    })
    return pdu(HAS_HEADER, dataCoding, Buffer.concat([encodeUserDataHeader([position]), part]))
  })
}

/** §4.6.1 */
function body(item: InboxItem, esmClass: number, dataCoding: number, octets: Uint8Array): Uint8Array {
  const isShort = octets.length <= LONGEST_SHORT
  return fields(
    '',
    addressOf(item.sender),
    addressOf(item.recipient ?? ''),
    esmClass,
    ...[0, 0, '', '', 0, 0, dataCoding, 0],
    ...(isShort ? [octets.length, octets] : [0, tlv(TLV.messagePayload, octets)]),
  )
}

/**
 * TON: 0 is unknown, 1 is international, 5 is alphanumeric. NPI: 0 is unknown, 1 is the numbering plan of phone
 * numbers.
 */
function addressOf(sender: string): SmeAddress {
  // Returns an empty address for the alias of a hidden number, because the alias is too long for an address.
  if (sender.startsWith('alias:')) return { ton: 0, npi: 0, value: '' }
  if (/^\+\d+$/.test(sender)) return { ton: 1, npi: 1, value: sender.slice(1) }
  return /^[\d*#]*$/.test(sender) ? { ton: 0, npi: 1, value: sender } : { ton: 5, npi: 0, value: sender }
}

const ESCAPE = 0x1b

/**
 * Splits between characters: not after an escape of GSM 7-bit, not inside a surrogate pair, and not inside a UTF-8
 * character.
 */
function split(octets: Uint8Array, most: number, dataCoding: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let start = 0; start < octets.length; ) {
    let end = Math.min(start + most, octets.length)
    if (end < octets.length) {
      const isHighSurrogate = dataCoding === 8 && ((octets[end - 2] ?? 0) & 0xfc) === 0xd8
      if (isHighSurrogate) end -= 2
      else if (dataCoding === 0 && octets[end - 1] === ESCAPE) end -= 1
      // A character of UTF-8 has up to three more octets.
      else for (let back = 0; dataCoding === 0 && back < 3 && isContinuation(octets, end); back += 1) end -= 1
    }
    parts.push(octets.subarray(start, end))
    start = end
  }
  return parts
}

function isContinuation(octets: Uint8Array, at: number): boolean {
  return ((octets[at] ?? 0) & 0xc0) === 0x80 && (octets[at - 1] ?? 0) >= 0x80
}
