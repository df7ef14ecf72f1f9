import { charactersWithoutSeptet, type Gsm7Shifts, septetsFromText } from './gsm7-alphabet.ts'
import { helpfulShifts, isWritableIn, writableInOneTable } from './helpful-shifts.ts'
import type { NationalLanguage } from './national-language.ts'
import { countParts } from './part-boundaries.ts'
import { partCapacity } from './part-capacity.ts'
import { PduEncodeError } from './pdu-error.ts'
import { septetUnits, type TextUnits, ucs2Units } from './text-units.ts'
import { TransliterableText } from './transliteration.ts'
import { storable } from './ucs2.ts'
import {
  concatenationElement,
  type InformationElement,
  lockingShiftElement,
  type Ports,
  portsElement,
  singleShiftElement,
} from './user-data-header.ts'

export interface EncodingOptions {
  /** Bits of the reference that a long message will carry. Default 8. */
  readonly referenceWidth?: 8 | 16 | undefined
  /** Languages whose tables the recipient's phone is trusted to know. Default none: few phones know any. */
  readonly nationalShifts?: readonly NationalLanguage[] | undefined
  /** Give up typographic detail (curly quotes, accents that GSM lacks) where that avoids UCS-2. Default false. */
  readonly transliterate?: boolean | undefined
  readonly ports?: Ports | undefined
  /** Default: the cheapest that loses nothing. */
  readonly encoding?: 'gsm7' | 'ucs2' | undefined
}

export interface EncodingChoice {
  readonly encoding: 'gsm7' | 'ucs2'
  readonly shifts: Gsm7Shifts
  /** As it will be read: after transliteration, with U+FFFD for half a surrogate pair and for U+0000. */
  readonly text: string
  readonly units: TextUnits
  /** What every part carries, besides the element that numbers it. */
  readonly elements: readonly InformationElement[]
  readonly parts: number
  readonly unitsPerPart: number
  /** The characters, each once, that no table allowed can write. Empty when UCS-2 was asked for. */
  readonly forcedUcs2By: readonly string[]
}

/**
 * The cheapest encoding that loses nothing: fewest parts, then plain GSM-7, which every phone reads, then fewest units.
 *
 * UCS-2 is left for the text that no table allowed can write. It is never cheaper: a character that has septets takes
 * 14 bits at most, escape included, and in a part of any size that saves more than the shift elements cost.
 * Transliteration comes in when the text as it stands would be UCS-2. It has to get the whole text out of it, in no more
 * parts (`…` is three septets, but one UTF-16 unit): otherwise the quotes and accents were given up for nothing. It is
 * also what joins a letter with the accent behind it (NFD): without it every character arrives as it was given.
 */
export function chooseEncoding(text: string, options: EncodingOptions): EncodingChoice {
  if (options.encoding === 'ucs2') return inUcs2(text, options, [])
  const plain = inGsm7(text, {}, options)
  // Other tables save septets only where characters take two, and that counts only if it saves a part.
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

/** Fewest parts first, then the tables that leave most of the text alone. */
function cheapestTransliterated(
  spellings: TransliterableText,
  languages: readonly NationalLanguage[],
  options: EncodingOptions,
): EncodingChoice | undefined {
  // What all the tables together cannot write, none of them can, and most texts with such a character stop here.
  if (spellings.whole(writableInOneTable(languages)) === undefined) return undefined
  // What a character becomes hangs on the tables: É is E only where one of them has E.
  const shifts = helpfulShifts(spellings.reach(), languages)
  const written = [{}, ...shifts].flatMap((tables) => {
    const whole = spellings.whole(isWritableIn(tables))
    if (whole === undefined) return []
    const choice = inGsm7(whole.text, tables, options)
    return choice === undefined ? [] : [{ choice, losses: whole.replaced.size }]
  })
  const fewestParts = Math.min(...written.map(({ choice }) => choice.parts))
  const shortest = written.filter(({ choice }) => choice.parts === fewestParts)
  const fewestLosses = Math.min(...shortest.map(({ losses }) => losses))
  return cheapest(shortest.filter(({ losses }) => losses === fewestLosses).map(({ choice }) => choice))
}

/** Plain GSM-7, if it is there, stands first. Of equals the first: the order in which the languages were allowed. */
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

/** The septets of the text and those that the headers take from it. */
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

/** Any one of them: all of a width are of the same length. */
function numberingOf(width: 8 | 16 = 8): InformationElement {
  return concatenationElement({ width, reference: 0, total: 1, sequence: 1 })
}

/** Not what one of the allowed tables can write, nor what transliteration could have replaced. */
function charactersWithoutSeptets(
  given: string,
  languages: readonly NationalLanguage[],
  spellings: TransliterableText | undefined,
): readonly string[] {
  const missing = charactersWithoutSeptet(storable(given))
  if (languages.length === 0 && spellings === undefined) return missing
  const isKept = writableInOneTable([])
  const irreplaceable = new Set(spellings === undefined ? missing : spellings.asFarAsPossible(isKept).text)
  const isWritable = writableInOneTable(languages)
  const culprits = missing.filter((char) => irreplaceable.has(char) && !isWritable(char))
  // None alone when each is in some table but no two tables have them all, or when transliteration took more parts.
  return culprits.length > 0 ? culprits : missing
}

/** Where the first stands, not which they are: errors are logged, and what people write is not. */
function withoutSeptets(text: string, characters: readonly string[]): string {
  const first = Array.from(storable(text)).findIndex((char) => characters.includes(char))
  return `has no septets for ${characters.length} of its characters, the first is character ${first + 1}`
}
