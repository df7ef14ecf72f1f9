import { checkedOctet, copyOf, joinOctets } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'

/** The header before the text, present if TP-UDHI is set. 23.040 §9.2.3.24 */
export interface UserDataHeader {
  /** The elements in the order received, including unknown ones. */
  readonly elements: readonly InformationElement[]
  /**
   * All octets of the header, including UDHL, as the encoder writes them. Empty if UDHL points beyond the user data.
   */
  readonly raw: Uint8Array
  /** True if the lengths are inconsistent. Then only `raw` is reliable, not `elements`. */
  readonly broken: boolean
}

export interface InformationElement {
  readonly identifier: number
  readonly data: Uint8Array
}

/** @param userData TP-UD, starting at UDHL */
export function decodeUserDataHeader(userData: Uint8Array): UserDataHeader {
  const length = userData[0]
  if (length === undefined || 1 + length > userData.length) return TRUNCATED_HEADER
  const raw = copyOf(userData, 0, 1 + length)
  const elements: InformationElement[] = []
  let position = 1
  while (position < raw.length) {
    const identifier = raw[position]
    const dataLength = raw[position + 1]
    const end = position + 2 + (dataLength ?? 0)
    if (identifier === undefined || dataLength === undefined || end > raw.length) return { elements, raw, broken: true }
    elements.push({ identifier, data: raw.slice(position + 2, end) })
    position = end
  }
  return { elements, raw, broken: false }
}

/** Returns UDHL and the elements. */
export function encodeUserDataHeader(elements: readonly InformationElement[]): Uint8Array {
  const octets: (number | Uint8Array)[] = [0]
  let length = 0
  for (const { identifier, data } of elements) {
    octets.push(checkedOctet(identifier, 'IEI'), checkedOctet(data.length, 'IEIDL'), data)
    length += 2 + data.length
  }
  octets[0] = checkedOctet(length, 'UDHL')
  return joinOctets(octets)
}

export function userDataHeaderOf(elements: readonly InformationElement[]): UserDataHeader {
  return { elements, raw: encodeUserDataHeader(elements), broken: false }
}

/** The position of a part in a long message. */
export interface Concatenation {
  /** Number of bits of the reference. */
  readonly width: 8 | 16
  readonly reference: number
  readonly total: number
  /** From 1. */
  readonly sequence: number
}

/** Returns the last valid element of either width. Total 0, sequence 0 and a sequence above the total are invalid. */
export function concatenationOf(header: UserDataHeader | undefined): Concatenation | undefined {
  return lastOf(header, ({ identifier, data }) => {
    const width = identifier === CONCATENATION_8 ? 8 : identifier === CONCATENATION_16 ? 16 : undefined
    if (width === undefined || data.length !== width / 8 + 2) return undefined
    const [total = 0, sequence = 0] = data.subarray(width / 8)
    if (sequence < 1 || sequence > total) return undefined
    return { width, reference: numberAt(data, 0, width), total, sequence }
  })
}

export function concatenationElement(concatenation: Concatenation): InformationElement {
  const { width, reference, total, sequence } = concatenation
  const counters = [checkedOctet(total, 'concatenation total'), checkedOctet(sequence, 'concatenation sequence')]
  if (sequence < 1 || sequence > total) {
    throw new PduEncodeError('concatenation sequence', `${sequence} is not between 1 and ${total}`)
  }
  return {
    identifier: width === 8 ? CONCATENATION_8 : CONCATENATION_16,
    data: joinOctets([...numberOctets(reference, width, 'concatenation reference'), ...counters]),
  }
}

/** The destination and source ports of applications. 23.040 §9.2.3.24.3-4 */
export interface Ports {
  readonly width: 8 | 16
  readonly destination: number
  readonly source: number
}

/**
 * Returns the last element of either width. Also returns ports in reserved ranges, because the application decides
 * whether it accepts them.
 */
export function portsOf(header: UserDataHeader | undefined): Ports | undefined {
  return lastOf(header, ({ identifier, data }) => {
    const width = identifier === PORTS_8 ? 8 : identifier === PORTS_16 ? 16 : undefined
    if (width === undefined || data.length !== width / 4) return undefined
    return { width, destination: numberAt(data, 0, width), source: numberAt(data, width / 8, width) }
  })
}

export function portsElement(ports: Ports): InformationElement {
  return {
    identifier: ports.width === 8 ? PORTS_8 : PORTS_16,
    data: Uint8Array.of(
      ...numberOctets(ports.destination, ports.width, 'destination port'),
      ...numberOctets(ports.source, ports.width, 'source port'),
    ),
  }
}

/** Returns the language identifiers (23.038 §6.2.1.2.4) of the tables in which the text is encoded. */
export function nationalLanguagesOf(header: UserDataHeader | undefined): {
  readonly locking: number | undefined
  readonly single: number | undefined
} {
  return { locking: languageOf(header, LOCKING_SHIFT), single: languageOf(header, SINGLE_SHIFT) }
}

export function lockingShiftElement(language: number): InformationElement {
  return { identifier: LOCKING_SHIFT, data: Uint8Array.of(checkedOctet(language, 'national language')) }
}

export function singleShiftElement(language: number): InformationElement {
  return { identifier: SINGLE_SHIFT, data: Uint8Array.of(checkedOctet(language, 'national language')) }
}

const CONCATENATION_8 = 0x00
const PORTS_8 = 0x04
const PORTS_16 = 0x05
const CONCATENATION_16 = 0x08
const SINGLE_SHIFT = 0x24
const LOCKING_SHIFT = 0x25

const TRUNCATED_HEADER: UserDataHeader = { elements: [], raw: new Uint8Array(0), broken: true }

function reliableElements(header: UserDataHeader | undefined): readonly InformationElement[] {
  return header === undefined || header.broken ? [] : header.elements
}

// 23.040 §9.2.3.24: if elements are repeated without permission or contradict each other, the last element is valid.
function lastOf<Value>(
  header: UserDataHeader | undefined,
  read: (element: InformationElement) => Value | undefined,
): Value | undefined {
  let last: Value | undefined
  for (const element of reliableElements(header)) last = read(element) ?? last
  return last
}

function languageOf(header: UserDataHeader | undefined, shift: number): number | undefined {
  return lastOf(header, ({ identifier, data }) => (identifier === shift && data.length === 1 ? data[0] : undefined))
}

function numberAt(data: Uint8Array, position: number, width: 8 | 16): number {
  const first = data[position] ?? 0
  return width === 8 ? first : (first << 8) | (data[position + 1] ?? 0)
}

function numberOctets(value: number, width: 8 | 16, field: string): number[] {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** width) {
    throw new PduEncodeError(field, `${value} does not fit in ${width} bits`)
  }
  return width === 8 ? [value] : [value >> 8, value & 0xff]
}
