import { joinOctets } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { utf8FromText } from './character-set.ts'

/**
 * Encodes the primitive values of WSP headers (WAP-230 §8.4.1.2 and §8.4.2.1). The first octet determines the form of a
 * value: 0 to 30 is its length, 31 announces a length in the next octets, 32 to 127 starts a text, 128 and above is a
 * complete number.
 */
export function encodeTextString(field: string, text: string): Uint8Array {
  const octets = utf8FromText(text)
  const first = octets[0] ?? 0x20
  if (octets.includes(0)) throw new PduEncodeError(field, 'contains U+0000, which ends a text')
  // Refuses a control character, which a receiver would read as a length.
  if (first < 0x20) throw new PduEncodeError(field, 'starts with a control character')
  return joinOctets([...(first >= textQuote ? [textQuote] : []), octets, 0])
}

export function encodeWithLength(value: Uint8Array): Uint8Array {
  if (value.length <= maxShortLength) return joinOctets([value.length, value])
  return joinOctets([lengthQuote, encodeUintvar(value.length), value])
}

export function encodeLongInteger(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new PduEncodeError('long-integer', `${value} is not a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`)
  }
  const octets = [value % 0x100]
  for (let rest = Math.floor(value / 0x100); rest > 0; rest = Math.floor(rest / 0x100)) octets.unshift(rest % 0x100)
  return Uint8Array.of(octets.length, ...octets)
}

export const maxShortLength = 30
export const lengthQuote = 31
/** The quote precedes a text whose first octet a receiver would otherwise read as a number or as a quote. */
export const textQuote = 0x7f

/**
 * An unsigned integer of variable length (WAP-230 §8.1.2): seven bits per octet, most significant first; the top bit
 * means that another octet follows. At most 32 bits, so five octets.
 */
interface Uintvar {
  readonly value: number
  readonly length: number
}

export const MAX_UINTVAR = 0xffff_ffff

export function decodeUintvar(octets: Uint8Array, offset: number, field: string, end = octets.length): Uintvar {
  let value = 0
  for (let length = 1; length <= 5; length++) {
    const at = offset + length - 1
    const octet = at < end ? octets[at] : undefined
    if (octet === undefined) throw new PduDecodeError(field, at, 'the data ends inside a uintvar')
    value = value * 0x80 + (octet & 0x7f)
    if (value > MAX_UINTVAR) throw new PduDecodeError(field, offset, 'is a uintvar of more than 32 bits')
    if ((octet & 0x80) === 0) return { value, length }
  }
  throw new PduDecodeError(field, offset, 'is a uintvar of more than five octets')
}

export function encodeUintvar(value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > MAX_UINTVAR) {
    throw new PduEncodeError('uintvar', `${value} is not a whole number from 0 to ${MAX_UINTVAR}`)
  }
  const octets = [value % 0x80]
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) {
    octets.unshift(0x80 | (rest % 0x80))
  }
  return Uint8Array.from(octets)
}
