import { type Alphabet, encodeDataCodingScheme, type MessageClass } from '../fields/data-coding-scheme.ts'
import type { UserData } from '../fields/user-data.ts'
import {
  concatenationElement,
  type InformationElement,
  type Ports,
  portsElement,
  userDataHeaderOf,
} from '../fields/user-data-header.ts'
import { copyOf } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import type { Gsm7Shifts } from '../text/gsm7-alphabet.ts'
import { chooseEncoding, type EncodingOptions } from './choose-encoding.ts'
import { partBoundaries, partCapacity } from './part-boundaries.ts'

export interface SegmentOptions extends EncodingOptions, NumberingOptions {}

export interface SegmentDataOptions extends NumberingOptions {
  readonly ports: Ports
}

interface NumberingOptions {
  /**
   * The reference is the same in all parts of a message, and must differ in the next message to the same recipient.
   * 23.040 §9.2.3.24.1
   */
  readonly reference: number
  /**
   * The number of bits of the reference. Default 8, because 16 bits need another septet per part, and the oldest phones
   * support only 8 bits.
   */
  readonly referenceWidth?: 8 | 16 | undefined
  readonly messageClass?: MessageClass | undefined
  /** The largest number of parts. Default and maximum: 255. */
  readonly maxParts?: number | undefined
}

export interface Segmentation {
  readonly encoding: Alphabet
  readonly shifts: Gsm7Shifts
  readonly dataCodingScheme: number
  /** The parts, at least one; an empty text has one empty part. */
  readonly parts: readonly UserData[]
  /** The number of septets, UTF-16 units or octets, depending on `encoding`. Includes escapes, but no headers. */
  readonly unitsUsedInLastPart: number
  readonly unitsLeftInLastPart: number
  readonly unitsPerPart: number
  /** The distinct characters that are in none of the allowed tables. */
  readonly forcedUcs2By: readonly string[]
  /** The text as the recipient reads it, after transliteration. Empty for data. */
  readonly text: string
}

/** Splits a text into as few parts as possible, in the cheapest lossless encoding. */
export function segment(text: string, options: SegmentOptions): Segmentation {
  const choice = chooseEncoding(text, options)
  const { encoding, shifts, units, unitsPerPart, elements, forcedUcs2By } = choice
  refuseTooManyParts(choice.parts, options)
  const ends = choice.parts === 1 ? [units.length] : partBoundaries(units, unitsPerPart, choice.parts)
  const parts = numberedParts(encoding, ends, units.slice, elements, options)
  return {
    ...filling(ends, unitsPerPart),
    ...announced(encoding, options),
    shifts,
    parts,
    forcedUcs2By,
    text: choice.text,
  }
}

/** Splits octets for an application port into parts. */
export function segmentData(data: Uint8Array, options: SegmentDataOptions): Segmentation {
  const elements = [portsElement(options.ports)]
  const alone = partCapacity('octets', elements)
  const unitsPerPart = data.length <= alone ? alone : partCapacity('octets', [numbering(1, 1, options), ...elements])
  const needed = Math.max(1, Math.ceil(data.length / unitsPerPart))
  refuseTooManyParts(needed, options)
  const ends = Array.from({ length: needed }, (_, index) => Math.min((index + 1) * unitsPerPart, data.length))
  const parts = numberedParts('octets', ends, (start, end) => copyOf(data, start, end), elements, options)
  const withoutText = { shifts: {}, forcedUcs2By: [], text: '' }
  return { ...filling(ends, unitsPerPart), ...announced('octets', options), ...withoutText, parts }
}

/** Returns how many parts {@link segment} would return without a maximum. Does not build them. */
export function partsNeeded(text: string, options: EncodingOptions = {}): number {
  return chooseEncoding(text, options).parts
}

export class TooManyPartsError extends PduEncodeError {
  override readonly name = 'TooManyPartsError'
  readonly partsNeeded: number

  constructor(partsNeeded: number, maxParts: number) {
    super('TP-UD', `needs ${partsNeeded} parts, the maximum is ${maxParts}`)
    this.partsNeeded = partsNeeded
  }
}

/** The total number of parts is sent in one octet. */
const MOST_PARTS = 255

function refuseTooManyParts(needed: number, options: NumberingOptions): void {
  const maxParts = Math.min(options.maxParts ?? MOST_PARTS, MOST_PARTS)
  if (needed > maxParts) throw new TooManyPartsError(needed, maxParts)
}

/**
 * Numbers the parts. A single part has no number, because its octets are better used for text, and because some phones
 * would show "1 of 1".
 */
function numberedParts(
  alphabet: Alphabet,
  ends: readonly number[],
  slice: (start: number, end: number) => Uint8Array,
  elements: readonly InformationElement[],
  options: NumberingOptions,
): readonly UserData[] {
  return ends.map((end, index) => {
    const own = ends.length === 1 ? elements : [numbering(ends.length, index + 1, options), ...elements]
    const header = own.length === 0 ? undefined : userDataHeaderOf(own)
    return { alphabet, header, units: slice(ends[index - 1] ?? 0, end) }
  })
}

function numbering(total: number, sequence: number, options: NumberingOptions): InformationElement {
  return concatenationElement({ width: options.referenceWidth ?? 8, reference: options.reference, total, sequence })
}

function announced(encoding: Alphabet, { messageClass }: NumberingOptions) {
  return { encoding, dataCodingScheme: encodeDataCodingScheme({ alphabet: encoding, messageClass }) }
}

function filling(ends: readonly number[], unitsPerPart: number) {
  const unitsUsedInLastPart = (ends.at(-1) ?? 0) - (ends.at(-2) ?? 0)
  return { unitsUsedInLastPart, unitsLeftInLastPart: unitsPerPart - unitsUsedInLastPart, unitsPerPart }
}
