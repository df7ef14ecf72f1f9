import { copyOf, joinOctets, type OctetReader } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { textFromSeptets } from '../text/gsm7-alphabet.ts'
import { packSeptets, unpackSeptets } from '../text/septets.ts'
import { textFromUcs2 } from '../text/ucs2.ts'
import { type Alphabet, type DataCodingScheme, decodeDataCodingScheme } from './data-coding-scheme.ts'
import { decodeUserDataHeader, nationalLanguagesOf, type UserDataHeader } from './user-data-header.ts'

/** The content of a message: an optional header, and then text or data. 23.040 §9.2.3.16, §9.2.3.24 */
export interface UserData {
  readonly alphabet: Alphabet
  /**
   * True if the units are octets of compressed data (23.042). Compression is not used in practice, and this package
   * does not decompress data.
   */
  readonly compressed?: boolean
  /** Present exactly when TP-UDHI is set, even if the header is broken. */
  readonly header: UserDataHeader | undefined
  /** One septet per element for gsm7; octets for the other alphabets and for compressed data. */
  readonly units: Uint8Array
  /** True if the last octet was missing. In this case, `units` contains the complete units. */
  readonly truncated?: boolean
}

/** Size of TP-UD in SMS-SUBMIT and SMS-DELIVER; reports may have more or less. */
export const MAX_USER_DATA_OCTETS = 140

/** Returns TP-UDL and TP-UD for a TPDU with the given TP-DCS. */
export function encodeUserDataField(userData: UserData, dataCodingScheme: number, maxOctets?: number): Uint8Array {
  return joinOctets(userDataField(userData, dataCodingScheme, maxOctets))
}

/**
 * Like {@link encodeUserDataField}, but returns the pieces without joining them: the TPDU joins all its pieces in one
 * step, which saves a copy.
 */
export function userDataField(userData: UserData, dataCodingScheme: number, maxOctets?: number): UserDataPieces {
  const scheme = decodeDataCodingScheme(dataCodingScheme)
  if (scheme.alphabet !== userData.alphabet || scheme.compressed !== (userData.compressed ?? false)) {
    throw new PduEncodeError('TP-DCS', `${dataCodingScheme} does not stand for ${userData.alphabet} user data`)
  }
  return encodedUserData(userData, maxOctets)
}

/** Reads TP-UDL and TP-UD. Octets beyond TP-UDL stay in the reader. */
export function decodeUserData(reader: OctetReader, dcs: DataCodingScheme, hasHeader: boolean): UserData {
  const length = reader.octet('TP-UDL')
  const inSeptets = dcs.alphabet === 'gsm7' && !dcs.compressed
  const expected = inSeptets ? octetsForSeptets(length) : length
  const isText = inSeptets || (dcs.alphabet === 'ucs2' && !dcs.compressed)
  // Keeps the complete characters of a truncated text, because some senders count one septet too many, and some modems
  // lose the last octet.
  const oneMissing = isText && reader.remaining === expected - 1
  const octets = reader.take('TP-UD', oneMissing ? expected - 1 : expected)

  const header = hasHeader ? decodeUserDataHeader(octets) : undefined
  const headerOctets = header?.raw.length ?? 0
  const compressed = dcs.compressed ? { compressed: true } : {}
  if (!inSeptets) {
    const cut = oneMissing && length % 2 === headerOctets % 2
    const units = copyOf(octets, headerOctets, cut ? octets.length - 1 : octets.length)
    return { alphabet: dcs.alphabet, ...compressed, header, units, ...(cut ? { truncated: true } : {}) }
  }
  const headerSeptets = septetsOfHeader(headerOctets)
  const announced = Math.max(0, length - headerSeptets)
  const present = Math.max(0, Math.floor((octets.length * 8) / 7) - headerSeptets)
  const units = unpackSeptets(octets.subarray(headerOctets), Math.min(announced, present), fillBits(headerOctets))
  return { alphabet: dcs.alphabet, header, units, ...(present < announced ? { truncated: true } : {}) }
}

/** Decodes the text with the national tables named in the header. Returns undefined for octets and compressed data. */
export function textOfUserData(userData: UserData): string | undefined {
  if (userData.compressed === true || userData.alphabet === 'octets') return undefined
  if (userData.alphabet === 'ucs2') return textFromUcs2(userData.units)
  return textFromSeptets(userData.units, nationalLanguagesOf(userData.header))
}

function isInSeptets(userData: UserData): boolean {
  return userData.alphabet === 'gsm7' && userData.compressed !== true
}

/** TP-UDL and the pieces of TP-UD. The pieces may be the caller's own header and units instead of copies. */
type UserDataPieces = readonly [length: number, ...octets: Uint8Array[]]

function encodedUserData(userData: UserData, maxOctets = MAX_USER_DATA_OCTETS): UserDataPieces {
  const encoded = isInSeptets(userData) ? encodeSeptets(userData) : encodeOctets(userData)
  const [, first, second] = encoded
  const octets = (first?.length ?? 0) + (second?.length ?? 0)
  if (octets > maxOctets) throw new PduEncodeError('TP-UD', `needs ${octets} octets, the maximum is ${maxOctets}`)
  return encoded
}

function encodeOctets({ header, units }: UserData): UserDataPieces {
  return header === undefined ? [units.length, units] : [header.raw.length + units.length, header.raw, units]
}

function encodeSeptets(userData: UserData): UserDataPieces {
  const header = userData.header?.raw ?? new Uint8Array(0)
  let bits = 0
  for (let index = 0; index < userData.units.length; index++) bits |= userData.units[index]!
  if (bits > 0x7f) throw new PduEncodeError('TP-UD', 'has a unit above 127, which is not a septet')
  const length = septetsOfHeader(header.length) + userData.units.length
  // Calculates the size from TP-UDL, because the fill bits after a header without text may need one more octet.
  const octets = new Uint8Array(octetsForSeptets(length))
  octets.set(header)
  octets.set(packSeptets(userData.units, fillBits(header.length)), header.length)
  // A single septet does not contain the highest bit of a UDHL that points beyond the user data.
  if (userData.header?.broken === true && header.length === 0 && !decodeUserDataHeader(octets).broken)
    throw new PduEncodeError('TP-UD', 'has a broken header that septets cannot contain')
  return [length, octets]
}

/** 23.040 §9.2.3.24: text after a header starts on a septet boundary. */
function septetsOfHeader(headerOctets: number): number {
  return Math.ceil((headerOctets * 8) / 7)
}

function fillBits(headerOctets: number): number {
  return septetsOfHeader(headerOctets) * 7 - headerOctets * 8
}

function octetsForSeptets(septets: number): number {
  return Math.ceil((septets * 7) / 8)
}
