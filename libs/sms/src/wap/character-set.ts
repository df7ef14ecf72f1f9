import { copyOf } from '../octets.ts'
import { storable, textFromUcs2 } from '../text/ucs2.ts'

/** Character sets by their IANA MIBenum, as used in WSP and MMS (WAP-230 §8.4.2.8 and table 42). */
export const characterSets = {
  any: 0,
  usAscii: 3,
  iso88591: 4,
  utf8: 106,
  ucs2: 1000,
  utf16BigEndian: 1013,
  utf16LittleEndian: 1014,
  utf16: 1015,
} as const

/**
 * Never fails: invalid octets and U+0000 become U+FFFD. If the character set is absent or unknown, valid UTF-8 is
 * decoded as UTF-8, and any other text as ISO 8859-1, in which every octet is a character.
 */
export function textFromCharacterSet(octets: Uint8Array, mibEnum?: number): string {
  return storable(decoded(octets, mibEnum))
}

export function isUtf16(mibEnum: number): boolean {
  return (
    mibEnum === characterSets.ucs2 ||
    mibEnum === characterSets.utf16 ||
    mibEnum === characterSets.utf16BigEndian ||
    mibEnum === characterSets.utf16LittleEndian
  )
}

export function utf8FromText(text: string): Uint8Array {
  const octets: number[] = []
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    const scalar = point >= 0xd800 && point <= 0xdfff ? replacement : point
    if (scalar < 0x80) octets.push(scalar)
    else if (scalar < 0x800) octets.push(0xc0 | (scalar >> 6), continuation(scalar))
    else if (scalar < 0x1_0000) octets.push(0xe0 | (scalar >> 12), continuation(scalar >> 6), continuation(scalar))
    else {
      octets.push(0xf0 | (scalar >> 18), continuation(scalar >> 12), continuation(scalar >> 6), continuation(scalar))
    }
  }
  return Uint8Array.from(octets)
}

/** Returns one U+FFFD for each maximal subpart of an incomplete or invalid sequence (Unicode 3.9). */
export function textFromUtf8(octets: Uint8Array): { readonly text: string; readonly valid: boolean } {
  const characters: string[] = []
  let valid = true
  for (let at = 0; at < octets.length; ) {
    const { point, length } = utf8Sequence(octets, at)
    if (point === undefined) valid = false
    characters.push(String.fromCodePoint(point ?? replacement))
    at += length
  }
  return { text: characters.join(''), valid }
}

const replacement = 0xfffd

function decoded(octets: Uint8Array, mibEnum: number | undefined): string {
  switch (mibEnum) {
    case characterSets.usAscii:
      return textFromAscii(octets)
    case characterSets.iso88591:
      return textFromLatin1(octets)
    case characterSets.utf8:
      return textFromUtf8(octets).text
    case characterSets.ucs2:
    case characterSets.utf16:
      return textFromUtf16(octets)
    case characterSets.utf16BigEndian:
      return textFromUcs2(octets)
    case characterSets.utf16LittleEndian:
      return textFromUcs2(octetsSwapped(octets))
    default: {
      const { text, valid } = textFromUtf8(octets)
      return valid ? text : textFromLatin1(octets)
    }
  }
}

function continuation(bits: number): number {
  return 0x80 | (bits & 0x3f)
}

function utf8Sequence(octets: Uint8Array, at: number): { point: number | undefined; length: number } {
  const lead = octets[at] ?? 0
  if (lead < 0x80) return { point: lead, length: 1 }
  const following =
    lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : 0
  if (following === 0) return { point: undefined, length: 1 }
  let point = lead & (0x3f >> following)
  for (let index = 1; index <= following; index++) {
    const octet = octets[at + index] ?? 0
    const [low, high] = index === 1 ? secondOctetRange(lead) : [0x80, 0xbf]
    if (octet < low || octet > high) return { point: undefined, length: index }
    point = (point << 6) | (octet & 0x3f)
  }
  return { point, length: following + 1 }
}

/** The range excludes overlong forms, surrogates and code points above U+10FFFF. */
function secondOctetRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf]
  if (lead === 0xed) return [0x80, 0x9f]
  if (lead === 0xf0) return [0x90, 0xbf]
  if (lead === 0xf4) return [0x80, 0x8f]
  return [0x80, 0xbf]
}

function textFromAscii(octets: Uint8Array): string {
  return textFromCodes(octets, (octet) => (octet < 0x80 ? octet : replacement))
}

function textFromLatin1(octets: Uint8Array): string {
  return textFromCodes(octets, (octet) => octet)
}

function textFromCodes(octets: Uint8Array, code: (octet: number) => number): string {
  let text = ''
  for (const octet of octets) text += String.fromCharCode(code(octet))
  return text
}

/** Decodes as big-endian, unless a byte order mark shows little-endian (RFC 2781 §4.3). */
function textFromUtf16(octets: Uint8Array): string {
  if (octets[0] === 0xff && octets[1] === 0xfe) return textFromUcs2(octetsSwapped(octets.subarray(2)))
  if (octets[0] === 0xfe && octets[1] === 0xff) return textFromUcs2(octets.subarray(2))
  return textFromUcs2(octets)
}

function octetsSwapped(octets: Uint8Array): Uint8Array {
  const swapped = copyOf(octets, 0, octets.length & ~1)
  for (let at = 0; at < swapped.length; at += 2) {
    swapped[at] = octets[at + 1] ?? 0
    swapped[at + 1] = octets[at] ?? 0
  }
  return swapped
}
