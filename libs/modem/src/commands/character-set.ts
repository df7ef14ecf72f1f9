import { octetsFromHex } from '@smsgw/sms/octets'
import { textFromUcs2 } from '@smsgw/sms/text/ucs2'
import type { Query } from './query.ts'

/**
 * The character set of text parameters (27.007 §5.5): operator names, the service centre, USSD. The character set does
 * not affect PDUs.
 */
export function selectCharacterSet(characterSet: CharacterSet): Query<true> {
  return { text: `AT+CSCS="${characterSet}"`, timeoutMs: 5000, read: () => true }
}

export type CharacterSet = 'GSM' | 'IRA' | 'UCS2'

/** Reads a text as firmware writes it: plain, or UCS-2 in hexadecimal digits, with any value of `+CSCS`. */
export function textInCharacterSet(text: string): string {
  if (text.length < 4 || text.length % 4 !== 0 || !/^[0-9a-f]+$/i.test(text)) return text
  const inLatinToArabic = /^(0[0-7][0-9a-f]{2})+$/i.test(text) && (text.startsWith('00') || /[a-f]/i.test(text))
  // Four hexadecimal digits may also be a word such as FADE, so at least eight digits, for two characters, are
  // required.
  const inOtherScripts = text.length >= 8 && /[a-f]/i.test(text)
  if (!inLatinToArabic && !inOtherScripts) return text
  const decoded = textFromUcs2(octetsFromHex(text))
  return unreadable.test(decoded) ? text : decoded
}

/**
 * Returns the telephone number from a text that is plain or UCS-2 in hexadecimal digits. The two forms cannot be
 * confused, because no real number consists of `003x` groups.
 */
export function numberInCharacterSet(text: string): string {
  return /^(002[ab3]|003[0-9])+$/i.test(text) ? textFromUcs2(octetsFromHex(text)) : text
}

const unreadable = /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd]/u
