import { checkedOctet, joinOctets, type OctetReader } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { septetsFromText, textFromSeptets } from '../text/gsm7-alphabet.ts'
import { packSeptets, unpackSeptets } from '../text/septets.ts'
import { digitsFromSemiOctets, semiOctetsFromDigits } from './semi-octets.ts'

/** The address of a sender, recipient or service centre. 23.040 §9.1.2.5 */
export interface Address {
  readonly typeOfNumber: TypeOfNumber
  /** The numbering plan, 0..15; 1 is ISDN/telephone (E.164). */
  readonly numberingPlan: number
  /** Digits from `0123456789*#abc`, or the text of an alphanumeric address. Never contains a `+`. */
  readonly value: string
}

export type TypeOfNumber =
  | 'unknown'
  | 'international'
  | 'national'
  | 'network-specific'
  | 'subscriber'
  | 'alphanumeric'
  | 'abbreviated'
  | 'reserved'

/** The index is the value of the three bits in the type-of-address octet. */
const TYPES_OF_NUMBER: readonly TypeOfNumber[] = [
  'unknown',
  'international',
  'national',
  'network-specific',
  'subscriber',
  'alphanumeric',
  'abbreviated',
  'reserved',
]

const UNKNOWN_PLAN = 0
const TELEPHONE_PLAN = 1

/** 23.040 §9.1.2.5: an address has at most twelve octets, of which ten contain the value. */
const MAX_SEMI_OCTETS = 20
const MAX_SEPTETS = 11

/**
 * Parses an address as people write it: `+447700900123` is international, `12345` and `*100#` are of unknown type
 * (networks refuse a short code with any other type), everything else is an alphanumeric name. Numbers with separators,
 * such as `+44 (0)7700 900123`, are refused: as a name they would be a wrong recipient, and the digits cannot be
 * guessed safely.
 */
export function addressFromText(text: string): Address {
  if (formattedNumber.test(text) && !plainNumber.test(text)) {
    throw new PduEncodeError(
      'address',
      'looks like a phone number, but is not a valid one: write digits only, with a + in front of an international number',
    )
  }
  const address = classifyText(text)
  if (address.value === '') throw new PduEncodeError('address', 'is empty')
  encodeAddress(address)
  return address
}

/**
 * Returns the address for display: a `+` in front of an international number, otherwise the value. A name may look like
 * a number (`+447700900` is ten septets); only `typeOfNumber` distinguishes them.
 */
export function textFromAddress(address: Address): string {
  return address.typeOfNumber === 'international' ? `+${address.value}` : address.value
}

/** Reads TP-OA, TP-DA or TP-RA, whose length counts the semi-octets of the value. */
export function decodeAddress(reader: OctetReader, field: string): Address {
  const semiOctets = reader.octet(field)
  const typeOfAddress = reader.octet(field)
  // Accepts more than the standard's twenty semi-octets, because a refusal would also lose the text after the long
  // address.
  return addressFromValue(typeOfAddress, reader.take(field, Math.ceil(semiOctets / 2)), semiOctets)
}

export function encodeAddress(address: Address, field = 'address'): Uint8Array {
  const { value, semiOctets } = encodeValue(address, field)
  return joinOctets([Uint8Array.of(semiOctets, typeOfAddressOctet(address, field)), value])
}

/** Reads the SCA, whose length counts octets, including the type of address; length 0 means the modem's own centre. */
export function decodeServiceCentreAddress(reader: OctetReader): Address | undefined {
  const length = reader.octet('SCA')
  if (length === 0) return undefined
  const typeOfAddress = reader.octet('SCA')
  const value = reader.take('SCA', length - 1)
  return addressFromValue(typeOfAddress, value, 2 * value.length)
}

export function encodeServiceCentreAddress(address: Address | undefined): Uint8Array {
  if (address === undefined) return Uint8Array.of(0)
  // A service centre cannot have a name (24.011 §8.2.5.1), and a length in octets could not distinguish seven septets
  // from eight.
  if (address.typeOfNumber === 'alphanumeric') throw new PduEncodeError('SCA', 'is a name, not a number')
  const { value } = encodeValue(address, 'SCA')
  return joinOctets([Uint8Array.of(1 + value.length, typeOfAddressOctet(address, 'SCA')), value])
}

const plainNumber = /^\+?\d+$/
const formattedNumber = /^\s*[+(\d][\d\s()+./-]*$/

function classifyText(text: string): Address {
  if (text.startsWith('+') && plainNumber.test(text)) {
    return { typeOfNumber: 'international', numberingPlan: TELEPHONE_PLAN, value: text.slice(1) }
  }
  if (/^[\d*#abc]+$/.test(text)) return { typeOfNumber: 'unknown', numberingPlan: TELEPHONE_PLAN, value: text }
  return { typeOfNumber: 'alphanumeric', numberingPlan: UNKNOWN_PLAN, value: text }
}

function addressFromValue(typeOfAddress: number, value: Uint8Array, semiOctets: number): Address {
  // The top bit means that no further type octet follows. The bit is ignored, because some senders clear the bit by
  // mistake and add no further octet.
  const typeOfNumber = TYPES_OF_NUMBER[(typeOfAddress >> 4) & 0b111] ?? 'reserved'
  return {
    typeOfNumber,
    numberingPlan: typeOfAddress & 0xf,
    value:
      typeOfNumber === 'alphanumeric'
        ? textFromSeptets(unpackSeptets(value, Math.floor((semiOctets * 4) / 7)))
        : digitsFromSemiOctets(value, semiOctets),
  }
}

function typeOfAddressOctet(address: Address, field: string): number {
  if (address.numberingPlan > 0xf) throw new PduEncodeError(field, `numbering plan ${address.numberingPlan} exceeds 15`)
  const numberingPlan = checkedOctet(address.numberingPlan, field)
  return 0x80 | (TYPES_OF_NUMBER.indexOf(address.typeOfNumber) << 4) | numberingPlan
}

function encodeValue(address: Address, field: string): { value: Uint8Array; semiOctets: number } {
  if (address.typeOfNumber === 'alphanumeric') return encodeName(address.value, field)
  if (address.value.length > MAX_SEMI_OCTETS) {
    throw new PduEncodeError(field, `has ${address.value.length} digits, the maximum is ${MAX_SEMI_OCTETS}`)
  }
  return { value: semiOctetsFromDigits(address.value, field), semiOctets: address.value.length }
}

function encodeName(name: string, field: string): { value: Uint8Array; semiOctets: number } {
  const septets = septetsFromText(name)
  if (septets === undefined)
    throw new PduEncodeError(field, 'is a name with characters that the GSM 7 bit default alphabet does not have')
  if (septets.length > MAX_SEPTETS) {
    throw new PduEncodeError(field, `is a name of ${septets.length} septets, the maximum is ${MAX_SEPTETS}`)
  }
  return { value: packSeptets(septets), semiOctets: Math.ceil((septets.length * 7) / 4) }
}
