import { septetsFromText, textFromSeptets } from '@smsgw/sms/text/gsm7-alphabet'
import { storable, textFromUcs2, ucs2FromText } from '@smsgw/sms/text/ucs2'
import { SmppError } from './command.ts'

/** The alphabet of data_coding 0, which the standard leaves to the server. */
export type SmppAlphabet = 'gsm7' | 'latin1' | 'utf8'

export type Coding = 'default' | 'ia5' | 'latin1' | 'iso-8859-5' | 'iso-8859-8' | 'ucs2' | 'binary'

/** §5.2.19. The message class of 0xF0 to 0xFF is ignored. */
export function codingOf(dataCoding: number): Coding {
  const coding = CODINGS.get(dataCoding)
  if (coding !== undefined) return coding
  // 23.038 §4: a message class; bit 2 contains the alphabet.
  if (dataCoding >= 0xf0) return (dataCoding & 0x04) === 0 ? 'default' : 'binary'
  throw new SmppError('ESME_RSUBMITFAIL', `data_coding ${dataCoding} is not supported`)
}

const CODINGS: ReadonlyMap<number, Coding> = new Map([
  [0, 'default'],
  [1, 'ia5'],
  [2, 'binary'],
  [3, 'latin1'],
  [4, 'binary'],
  [6, 'iso-8859-5'],
  [7, 'iso-8859-8'],
  [8, 'ucs2'],
])

export interface LanguageShifts {
  readonly locking?: number | undefined
  readonly single?: number | undefined
}

export function decodeText(
  octets: Uint8Array,
  coding: Exclude<Coding, 'binary'>,
  alphabet: SmppAlphabet,
  shifts: LanguageShifts,
): string {
  if (coding === 'ucs2') return textFromUcs2(octets)
  const charset = coding === 'default' ? alphabet : coding === 'ia5' ? charsetOfIa5(octets, shifts) : coding
  if (charset === 'gsm7') return storable(textFromSeptets(octets, shifts))
  const isLatin1 = charset === 'latin1'
  return storable(isLatin1 ? Buffer.from(octets).toString('latin1') : new TextDecoder(charset).decode(octets))
}

/**
 * Returns how to read data_coding 1, which means IA5 (ASCII). The npm package smpp marks GSM 7-bit with it, where for
 * example @ is 0, é is 5 and [ is an escape. A text in IA5 has no such control characters and no language shifts. Many
 * programs send Latin-1, which has the characters of IA5.
 */
function charsetOfIa5(octets: Uint8Array, { locking, single }: LanguageShifts): 'gsm7' | 'latin1' {
  if (locking !== undefined || single !== undefined) return 'gsm7'
  const isSevenBit = octets.every((octet) => octet < 0x80)
  return isSevenBit && octets.some(isUnusualControl) ? 'gsm7' : 'latin1'
}

/** Returns true for a control character that texts do not contain. */
function isUnusualControl(octet: number): boolean {
  return (octet < 0x20 && !TEXT_CONTROLS.has(octet)) || octet === DELETE
}

/** Tab, line feed and carriage return. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d])
const DELETE = 0x7f

/** Encodes a text with data_coding 0 if that alphabet has all characters of the text, otherwise in UCS-2. */
export function encodeText(
  text: string,
  alphabet: SmppAlphabet,
): { readonly dataCoding: 0 | 8; readonly octets: Uint8Array } {
  const octets = encodeDefault(text, alphabet)
  return octets === undefined ? { dataCoding: 8, octets: ucs2FromText(text) } : { dataCoding: 0, octets }
}

function encodeDefault(text: string, alphabet: SmppAlphabet): Uint8Array | undefined {
  if (alphabet === 'gsm7') return septetsFromText(text)
  if (alphabet === 'utf8') return Buffer.from(text, 'utf8')
  return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined
}
