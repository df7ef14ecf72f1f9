import { octetsFromHex } from '@smsgw/sms/octets'
import { textFromUcs2 } from '@smsgw/sms/text/ucs2'
import { decodeUssdString, unpackUssd } from '@smsgw/sms/ussd'

/** The form of the text in `+CUSD=`, which the profile defines. */
export type UssdEncoding = 'plain' | 'packed-hex' | 'ucs2-hex'

/**
 * The readable text of a `+CUSD` code. Firmware sends it plain, as packed septets, as UCS-2 or as octets in hexadecimal
 * digits, and the data coding scheme (0, 15, 17, 72, none) does not identify the form. Every form is tried, and the
 * result that looks most like text is used. The scheme and the profile decide between equally plausible results.
 */
export function decodeUssdText(text: string, dataCodingScheme: number | undefined, usual: UssdEncoding): string {
  const hex = text.replaceAll(/\s/g, '')
  if (hex.length < 4 || hex.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(hex)) return withLineEnds(text)
  const octets = octetsFromHex(hex)
  const readings: Reading[] = [{ text, weight: plausibility(text) - hexadecimalLooks(hex) }]
  const add = (reading: string | undefined, favour: boolean) => {
    if (reading !== undefined && reading !== '') {
      readings.push({ text: reading, weight: plausibility(reading) + (favour ? schemeFavours : 0) })
    }
  }
  const ucs2Scheme = dataCodingScheme === 72 || dataCodingScheme === 17
  if (octets.length % 2 === 0) add(ucs2(octets, dataCodingScheme), ucs2Scheme || usual === 'ucs2-hex')
  add(unpackUssd(octets), !ucs2Scheme && usual === 'packed-hex')
  add(latin1(octets), dataCodingScheme === 68)
  return withLineEnds(readings.reduce((best, reading) => (reading.weight > best.weight ? reading : best)).text)
}

interface Reading {
  readonly text: string
  /** How natural the decoded text looks (at most 1), plus a bonus for the most likely form. */
  readonly weight: number
}

const schemeFavours = 0.15

/** With scheme 17, the text begins with two octets that give the language (23.038 §5). */
function ucs2(octets: Uint8Array, dataCodingScheme: number | undefined): string | undefined {
  return dataCodingScheme === 17 ? decodeUssdString(octets, 17) : textFromUcs2(octets)
}

/** Decodes octets as ISO 8859-1. Only the Quectel M35 uses a different alphabet for octets. */
function latin1(octets: Uint8Array): string {
  return Array.from(octets, (octet) => String.fromCharCode(octet)).join('')
}

/**
 * Returns how likely hexadecimal digits are an encoded text. A long run of digits is rarely plain text, but a short run
 * may be, for example a balance of 1234.
 */
function hexadecimalLooks(hex: string): number {
  return /[a-f]/i.test(hex) ? 0.5 : Math.min(0.5, (hex.length - 4) / 40)
}

/**
 * Returns how natural the text looks, at most 1. A wrongly decoded text mixes scripts and symbols, such as accented
 * letters among Greek capitals.
 */
function plausibility(text: string): number {
  let score = 0
  let latin = 0
  const foreign = new Map<string, number>()
  const characters = [...text]
  for (const character of characters) {
    if (/[a-z]/i.test(character)) {
      score += 1
      latin += 1
    } else if (/[0-9 .,:;!?*#()+/%\r\n'"-]/.test(character)) score += 1
    else if (/\p{Script=Latin}/u.test(character)) {
      score += 0.5
      latin += 1
    } else if (/[\p{L}\p{M}\p{N}]/u.test(character)) {
      const script = scriptOf(character)
      foreign.set(script, (foreign.get(script) ?? 0) + 1)
    } else if (/[\x20-\x7e]/.test(character)) score += 0.6
    else if (/[\p{P}\p{S}]/u.test(character)) score += 0.2
    else score -= 2
  }
  const most = Math.max(0, ...foreign.values())
  if (most > latin) score += most * 0.95
  return characters.length === 0 ? 0 : score / characters.length
}

/** An approximation: Chinese and Japanese use many blocks of 256 characters, and other scripts use one. */
function scriptOf(character: string): string {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) return 'han'
  if (/\p{Script=Hangul}/u.test(character)) return 'hangul'
  return `block ${(character.codePointAt(0) ?? 0) >> 8}`
}

function withLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(/\n+$/, '').replaceAll('\u0000', '')
}
