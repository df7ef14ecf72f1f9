import {
  type CellBroadcastDataCodingScheme,
  decodeCellBroadcastDataCodingScheme,
} from './cell-broadcast-data-coding-scheme.ts'
import { septetsFromText, textFromSeptets } from './gsm7-alphabet.ts'
import { PduEncodeError } from './pdu-error.ts'
import { packSeptets, unpackSeptets } from './septets.ts'
import { storable, textFromUcs2, ucs2FromText } from './ucs2.ts'

export interface UssdString {
  readonly octets: Uint8Array
  /** A data coding scheme of cell broadcast (23.038 §5), not of SMS. */
  readonly dataCodingScheme: number
}

/** In the GSM 7 bit default alphabet where it has all characters, else in UCS-2. */
export function encodeUssdString(text: string): UssdString {
  const packed = packUssd(text)
  const ussd =
    packed === undefined
      ? { octets: ucs2FromText(text), dataCodingScheme: ucs2 }
      : { octets: packed, dataCodingScheme: gsm7InUnspecifiedLanguage }
  if (ussd.octets.length > longestString) {
    throw new PduEncodeError('USSD-String', `needs ${ussd.octets.length} octets, at most ${longestString}`)
  }
  return ussd
}

const gsm7InUnspecifiedLanguage = 0x0f
const ucs2 = 0x48
// 24.080 annex A, maxUSSD-StringLength
const longestString = 160

/**
 * The text alone, without the language in front that some schemes put there. Undefined when there is none to read:
 * compressed strings (23.042) and user data headers, which USSD does not use.
 */
export function decodeUssdString(octets: Uint8Array, dataCodingScheme: number): string | undefined {
  const scheme = decodeCellBroadcastDataCodingScheme(dataCodingScheme)
  if (scheme.compressed || scheme.group === 'user-data-header') return undefined
  switch (scheme.alphabet) {
    case 'gsm7':
      return behindLanguage(unpackUssd(octets), scheme)
    case 'ucs2':
      return textFromUcs2(behindPackedLanguage(octets, scheme))
    case 'octets':
      // "User defined" by the standard; the networks that use it send ISO 8859-1.
      return storable(Array.from(octets, (octet) => String.fromCharCode(octet)).join(''))
  }
}

/**
 * Septets in octets as USSD and cell broadcast pack them, or undefined when a character has no septets. No count
 * travels with the octets, so seven spare bits are filled with CR: zeros would read as `@`. A CR that is meant and
 * ends on an octet boundary is sent twice, for one alone would be taken for the fill. Both are read then, and to return
 * twice is to return (23.038 §6.1.2.3.1).
 */
export function packUssd(text: string): Uint8Array | undefined {
  const septets = septetsFromText(text)
  if (septets === undefined) return undefined
  const over = septets.length % 8
  const needsReturn = over === 7 || (over === 0 && septets.at(-1) === carriageReturn)
  return packSeptets(needsReturn ? Uint8Array.of(...septets, carriageReturn) : septets)
}

export function unpackUssd(octets: Uint8Array): string {
  const count = Math.floor((octets.length * 8) / 7)
  const septets = unpackSeptets(octets, count)
  const padded = count % 8 === 0 && septets.at(-1) === carriageReturn
  return textFromSeptets(padded ? septets.subarray(0, -1) : septets)
}

const carriageReturn = 0x0d

/** Two letters and CR. A network that announces a language and sends none keeps its text. */
function behindLanguage(text: string, scheme: CellBroadcastDataCodingScheme): string {
  return scheme.group === 'language-preceded' ? text.replace(/^[A-Za-z]{2}\r/, '') : text
}

/**
 * Two letters, packed into two octets with two zero bits behind; the same mercy for text without them. Small letters, as
 * ISO 639 has them: capitals are the octets of common characters (`中` would be "NZ"), small ones those of rare ones.
 */
function behindPackedLanguage(octets: Uint8Array, scheme: CellBroadcastDataCodingScheme): Uint8Array {
  if (scheme.group !== 'language-preceded' || octets.length < 2 || octets[1]! > 0x3f) return octets
  const letters = textFromSeptets(unpackSeptets(octets, 2))
  return /^[a-z]{2}$/.test(letters) ? octets.subarray(2) : octets
}
