import { chooseEncoding, type EncodingOptions } from './choose-encoding.ts'
import { type Alphabet, encodeDataCodingScheme, type MessageClass } from './data-coding-scheme.ts'
import type { Gsm7Shifts } from './gsm7-alphabet.ts'
import { copyOf } from './octets.ts'
import { partBoundaries } from './part-boundaries.ts'
import { partCapacity } from './part-capacity.ts'
import { PduEncodeError } from './pdu-error.ts'
import type { UserData } from './user-data.ts'
import {
  concatenationElement,
  type InformationElement,
  type Ports,
  portsElement,
  userDataHeaderOf,
} from './user-data-header.ts'

export interface SegmentOptions extends EncodingOptions, NumberingOptions {}

export interface SegmentDataOptions extends NumberingOptions {
  readonly ports: Ports
}

interface NumberingOptions {
  /** The same in all parts of a message, another for the next one to the same recipient. 23.040 §9.2.3.24.1 */
  readonly reference: number
  /** Bits of the reference. Default 8: sixteen cost each part a septet, and the oldest phones know only the short form. */
  readonly referenceWidth?: 8 | 16 | undefined
  readonly messageClass?: MessageClass | undefined
  /** Default and limit: 255. */
  readonly maxParts?: number | undefined
}

export interface Segmentation {
  readonly encoding: Alphabet
  readonly shifts: Gsm7Shifts
  readonly dataCodingScheme: number
  /** One at least: nothing to say is one empty part. */
  readonly parts: readonly UserData[]
  /** Septets, UTF-16 units or octets, as `encoding` says; escapes count, headers do not. */
  readonly unitsUsedInLastPart: number
  readonly unitsLeftInLastPart: number
  readonly unitsPerPart: number
  /** The characters, each once, that no table allowed can write. */
  readonly forcedUcs2By: readonly string[]
  /** As it will be read: after transliteration. Empty for data. */
  readonly text: string
}

/** The text in as few parts as it takes, in the cheapest encoding that loses nothing. */
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

/** Octets for an application port. */
export function segmentData(data: Uint8Array, options: SegmentDataOptions): Segmentation {
  const elements = [portsElement(options.ports)]
  const alone = partCapacity('octets', elements)
  const unitsPerPart = data.length <= alone ? alone : partCapacity('octets', [numbering(1, 1, options), ...elements])
  const needed = Math.max(1, Math.ceil(data.length / unitsPerPart))
  refuseTooManyParts(needed, options)
  const ends = Array.from({ length: needed }, (_, index) => Math.min((index + 1) * unitsPerPart, data.length))
  const parts = numberedParts('octets', ends, (start, end) => copyOf(data, start, end), elements, options)
  const nothingOfText = { shifts: {}, forcedUcs2By: [], text: '' }
  return { ...filling(ends, unitsPerPart), ...announced('octets', options), ...nothingOfText, parts }
}

/** How many parts {@link segment} would make, however many that is, without making them. */
export function partsNeeded(text: string, options: EncodingOptions = {}): number {
  return chooseEncoding(text, options).parts
}

export class TooManyPartsError extends PduEncodeError {
  override readonly name = 'TooManyPartsError'
  readonly partsNeeded: number

  constructor(partsNeeded: number, maxParts: number) {
    super('TP-UD', `needs ${partsNeeded} parts, at most ${maxParts}`)
    this.partsNeeded = partsNeeded
  }
}

/** The counter of parts is one octet. */
const MOST_PARTS = 255

function refuseTooManyParts(needed: number, options: NumberingOptions): void {
  const maxParts = Math.min(options.maxParts ?? MOST_PARTS, MOST_PARTS)
  if (needed > maxParts) throw new TooManyPartsError(needed, maxParts)
}

/** A part that is alone carries no number: the octets are better spent on text, and some phones show it as 1 of 1. */
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
