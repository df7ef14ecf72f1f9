import {
  concatenationElement,
  type InformationElement,
  lockingShiftElement,
  type Ports,
  portsElement,
  singleShiftElement,
} from '../fields/user-data-header.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { charactersWithoutSeptet, type Gsm7Shifts, septetsFromText } from '../text/gsm7-alphabet.ts'
import type { NationalLanguage } from '../text/national-language.ts'
import { TransliterableText } from '../text/transliteration.ts'
import { storable } from '../text/ucs2.ts'
import { helpfulShifts, isWritableIn, writableInOneTable } from './helpful-shifts.ts'
import { countParts, partCapacity } from './part-boundaries.ts'
import { septetUnits, type TextUnits, ucs2Units } from './text-units.ts'

export interface EncodingOptions {
  /** Number of bits of the reference of a long message. Default 8. */
  readonly referenceWidth?: 8 | 16 | undefined
  /** The languages whose tables the recipient's phone supports. Default: none, because few phones support any. */
  readonly nationalShifts?: readonly NationalLanguage[] | undefined
  /**
   * Replaces curly quotes and accented letters that GSM-7 lacks, but only if the text then needs no UCS-2. Default
   * false.
   */
  readonly transliterate?: boolean | undefined
  readonly ports?: Ports | undefined
  /** The encoding. Default: the cheapest lossless one. */
  readonly encoding?: 'gsm7' | 'ucs2' | undefined
}

export interface EncodingChoice {
  readonly encoding: 'gsm7' | 'ucs2'
  readonly shifts: Gsm7Shifts
  /** The text as the recipient reads it: transliterated, with U+FFFD for half a surrogate pair and for U+0000. */
  readonly text: string
  readonly units: TextUnits
  /** The header elements of every part, except the element that numbers the part. */
  readonly elements: readonly InformationElement[]
  readonly parts: number
  readonly unitsPerPart: number
  /** The distinct characters that are in none of the allowed tables. Empty when `encoding` is `ucs2`. */
  readonly forcedUcs2By: readonly string[]
}

/**
 * Returns the cheapest lossless encoding: fewest parts, then plain GSM-7, which every phone supports, then fewest
 * units.
 *
 * UCS-2 is used only for text that no allowed table can encode. UCS-2 is never cheaper: a character in GSM-7 has at
 * most 14 bits including its escape, and the saving is greater than the size of the shift elements in a part of any
 * size. Transliteration is tried when the text would otherwise need UCS-2. Its result is used only if the whole text
 * can then be encoded in GSM-7 and needs no more parts than in UCS-2. It may need more, because `…` becomes three
 * septets, but is one UTF-16 unit. Transliteration also composes a letter with a following accent (NFD); without
 * transliteration, every character arrives unchanged.
 */
export function chooseEncoding(text: string, options: EncodingOptions): EncodingChoice {
  if (options.encoding === 'ucs2') return inUcs2(text, options, [])
  const plain = inGsm7(text, {}, options)
  // Other tables save septets only for characters that need two septets in plain GSM-7. The saving matters only if it
  // saves a part.
  if (plain !== undefined && (plain.parts === 1 || plain.units.length === text.length)) return plain
  const languages = [...new Set(options.nationalShifts)]
  const shifts = helpfulShifts(text, languages)
  const lossless = cheapest([plain, ...shifts.map((tables) => inGsm7(text, tables, options))])
  if (lossless !== undefined) return lossless
  const spellings = options.transliterate === true ? new TransliterableText(storable(text)) : undefined
  const transliterated = spellings && cheapestTransliterated(spellings, languages, options)
  if (options.encoding === 'gsm7' && transliterated !== undefined) return transliterated
  const forcedBy = charactersWithoutSeptets(text, languages, spellings)
  if (options.encoding === 'gsm7') throw new PduEncodeError('TP-UD', withoutSeptets(text, forcedBy))
  const inFull = inUcs2(text, options, forcedBy)
  return transliterated !== undefined && transliterated.parts <= inFull.parts ? transliterated : inFull
}

/** Prefers the fewest parts, then the tables that need the fewest replacements. */
function cheapestTransliterated(
  spellings: TransliterableText,
  languages: readonly NationalLanguage[],
  options: EncodingOptions,
): EncodingChoice | undefined {
  // If a character is in none of the tables, no table can be used. In most cases, the search ends here.
  if (spellings.complete(writableInOneTable(languages)) === undefined) return undefined
  // The replacement of a character depends on the tables: É becomes E only when a table has E.
  const shifts = helpfulShifts(spellings.possibleCharacters(), languages)
  const written = [{}, ...shifts].flatMap((tables) => {
    const whole = spellings.complete(isWritableIn(tables))
    if (whole === undefined) return []
    const choice = inGsm7(whole.text, tables, options)
    return choice === undefined ? [] : [{ choice, losses: whole.replaced.size }]
  })
  const fewestParts = Math.min(...written.map(({ choice }) => choice.parts))
  const shortest = written.filter(({ choice }) => choice.parts === fewestParts)
  const fewestLosses = Math.min(...shortest.map(({ losses }) => losses))
  return cheapest(shortest.filter(({ losses }) => losses === fewestLosses).map(({ choice }) => choice))
}

/** If plain GSM-7 is a choice, it must come first. Equal choices are decided by the order of the allowed languages. */
function cheapest(choices: readonly (EncodingChoice | undefined)[]): EncodingChoice | undefined {
  let best: EncodingChoice | undefined
  for (const choice of choices) {
    if (choice !== undefined && (best === undefined || isCheaper(choice, best))) best = choice
  }
  return best
}

function isCheaper(one: EncodingChoice, other: EncodingChoice): boolean {
  if (one.parts !== other.parts) return one.parts < other.parts
  return !isPlain(other) && unitsOnTheAir(one) < unitsOnTheAir(other)
}

function isPlain({ shifts }: EncodingChoice): boolean {
  return shifts.locking === undefined && shifts.single === undefined
}

/** Returns the number of septets of the text and the headers. */
function unitsOnTheAir({ units, parts, unitsPerPart }: EncodingChoice): number {
  return units.length + parts * (partCapacity('gsm7', []) - unitsPerPart)
}

function inGsm7(text: string, shifts: Gsm7Shifts, options: EncodingOptions): EncodingChoice | undefined {
  const septets = septetsFromText(text, shifts)
  if (septets === undefined) return undefined
  const elements = commonElements(options, shifts)
  const units = septetUnits(text, septets)
  return {
    encoding: 'gsm7',
    shifts,
    text,
    units,
    elements,
    forcedUcs2By: [],
    ...partsOf('gsm7', units, elements, options),
  }
}

function inUcs2(text: string, options: EncodingOptions, forcedUcs2By: readonly string[]): EncodingChoice {
  const readable = storable(text)
  const elements = commonElements(options, {})
  const units = ucs2Units(readable)
  const parts = partsOf('ucs2', units, elements, options)
  return { encoding: 'ucs2', shifts: {}, text: readable, units, elements, forcedUcs2By, ...parts }
}

function partsOf(
  alphabet: 'gsm7' | 'ucs2',
  units: TextUnits,
  elements: readonly InformationElement[],
  options: EncodingOptions,
): { readonly parts: number; readonly unitsPerPart: number } {
  const alone = partCapacity(alphabet, elements)
  if (units.length <= alone) return { parts: 1, unitsPerPart: alone }
  const unitsPerPart = partCapacity(alphabet, [numberingOf(options.referenceWidth), ...elements])
  return { parts: countParts(units, unitsPerPart), unitsPerPart }
}

function commonElements({ ports }: EncodingOptions, { locking, single }: Gsm7Shifts): readonly InformationElement[] {
  return [
    ...(ports === undefined ? [] : [portsElement(ports)]),
    ...(single === undefined ? [] : [singleShiftElement(single)]),
    ...(locking === undefined ? [] : [lockingShiftElement(locking)]),
  ]
}

/** Returns an example, because all concatenation elements with references of this width have the same length. */
function numberingOf(width: 8 | 16 = 8): InformationElement {
  return concatenationElement({ width, reference: 0, total: 1, sequence: 1 })
}

/** Returns the characters that force UCS-2: no allowed table has them, and transliteration cannot replace them. */
function charactersWithoutSeptets(
  given: string,
  languages: readonly NationalLanguage[],
  spellings: TransliterableText | undefined,
): readonly string[] {
  const missing = charactersWithoutSeptet(storable(given))
  if (languages.length === 0 && spellings === undefined) return missing
  const isKept = writableInOneTable([])
  const irreplaceable = new Set(spellings === undefined ? missing : spellings.bestEffort(isKept).text)
  const isWritable = writableInOneTable(languages)
  const unencodable = missing.filter((char) => irreplaceable.has(char) && !isWritable(char))
  // `unencodable` is empty in two cases: each character is in a table, but no pair of tables has all characters; or
  // transliteration needed more parts.
  return unencodable.length > 0 ? unencodable : missing
}

/**
 * Errors are logged, but message texts must not be logged. So this error contains only the position of the first of the
 * characters, not the characters.
 */
function withoutSeptets(text: string, characters: readonly string[]): string {
  const first = Array.from(storable(text)).findIndex((char) => characters.includes(char))
  return `has ${characters.length} characters that GSM 7-bit encoding cannot represent; the first one is at position ${first + 1}`
}
