import { joinOctets } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { utf8FromText } from './character-set.ts'
import { encodeUintvar } from './uintvar.ts'

/**
 * Writes the primitive values of WSP headers (WAP-230 §8.4.1.2 and §8.4.2.1). The first octet tells how a value goes on:
 * up to 30 its length, 31 a length behind it, from 32 to 127 a text, from 128 on a number that is complete.
 */
export function encodeTextString(field: string, text: string): Uint8Array {
  const octets = utf8FromText(text)
  const first = octets[0] ?? 0x20
  if (octets.includes(0)) throw new PduEncodeError(field, 'a text cannot hold a zero')
  // it would be taken for a length
  if (first < 0x20) throw new PduEncodeError(field, 'a text cannot begin with a control character')
  return joinOctets([...(first >= textQuote ? [textQuote] : []), octets, 0])
}

export function encodeWithLength(value: Uint8Array): Uint8Array {
  if (value.length <= longestShortLength) return joinOctets([value.length, value])
  return joinOctets([lengthQuote, encodeUintvar(value.length), value])
}

export function encodeLongInteger(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new PduEncodeError('long-integer', `${value} does not fit`)
  const octets = [value % 0x100]
  for (let rest = Math.floor(value / 0x100); rest > 0; rest = Math.floor(rest / 0x100)) octets.unshift(rest % 0x100)
  return Uint8Array.of(octets.length, ...octets)
}

export const longestShortLength = 30
export const lengthQuote = 31
/** In front of a text whose first octet would be taken for a number, or for this quote. */
export const textQuote = 0x7f
