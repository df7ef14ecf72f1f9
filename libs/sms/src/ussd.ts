import {
  type CellBroadcastDataCodingScheme,
  decodeCellBroadcastDataCodingScheme,
} from './fields/cell-broadcast-data-coding-scheme.ts'
import { septetsFromText, textFromSeptets } from './text/gsm7-alphabet.ts'
import { packSeptets, unpackSeptets } from './text/septets.ts'
import { storable, textFromUcs2 } from './text/ucs2.ts'

/**
 * Decodes a text, and removes the language prefix that belongs to some schemes. The data coding scheme has the values
 * of cell broadcast (23.038 §5), not the values of SMS. Returns undefined for compressed
 * strings (23.042) and user data headers, which USSD does not use.
 */
export function decodeUssdString(octets: Uint8Array, dataCodingScheme: number): string | undefined {
  const scheme = decodeCellBroadcastDataCodingScheme(dataCodingScheme)
  if (scheme.compressed || scheme.group === 'user-data-header') return undefined
  switch (scheme.alphabet) {
    case 'gsm7':
      return withoutLanguage(unpackUssd(octets), scheme)
    case 'ucs2':
      return textFromUcs2(withoutPackedLanguage(octets, scheme))
    case 'octets':
      // "User defined" in the standard; networks that use it send ISO 8859-1.
      return storable(Array.from(octets, (octet) => String.fromCharCode(octet)).join(''))
  }
}

/**
 * Packs a text as USSD and cell broadcast do; returns undefined if a character has no septets. The number of septets is
 * not transmitted, so seven spare bits are filled with CR, because zeros would decode as `@`. If the text ends with a
 * CR on an octet boundary, the CR is sent twice, because a receiver would treat a single CR as padding. The receiver
 * decodes two CR, which look like one CR on a display (23.038 §6.1.2.3.1).
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

/** Removes the language: two letters and CR. If the language is missing despite the scheme, the text is not changed. */
function withoutLanguage(text: string, scheme: CellBroadcastDataCodingScheme): string {
  return scheme.group === 'language-preceded' ? text.replace(/^[A-Za-z]{2}\r/, '') : text
}

/**
 * Removes the language: two letters packed into two octets, followed by two zero bits. If the language is missing
 * despite the scheme, the text is not changed. Only lower-case letters count, as in ISO 639: the octets of two capitals
 * are also common characters (`中` would be "NZ"), but the octets of two lower-case letters are rare characters.
 */
function withoutPackedLanguage(octets: Uint8Array, scheme: CellBroadcastDataCodingScheme): Uint8Array {
  if (scheme.group !== 'language-preceded' || octets.length < 2 || octets[1]! > 0x3f) return octets
  const letters = textFromSeptets(unpackSeptets(octets, 2))
  return /^[a-z]{2}$/.test(letters) ? octets.subarray(2) : octets
}
