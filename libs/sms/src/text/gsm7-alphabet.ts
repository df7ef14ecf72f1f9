import { type NationalLanguage, nationalLanguages } from './national-language.ts'
import { defaultAlphabet, defaultExtension } from './national-tables/default.ts'
import { noCharacter, unitsOfSeptetTable } from './septet-table.ts'

/**
 * The tables of a text (23.038 §6.2.1.2): `locking` replaces the default alphabet, `single` replaces the extension
 * table used after an escape. The default is used if the language is absent, unknown, or has no such table.
 */
export interface Gsm7Shifts {
  readonly locking?: NationalLanguage | undefined
  readonly single?: NationalLanguage | undefined
}

/** Returns one septet per element, or undefined if a character has no septets. Never replaces a character. */
export function septetsFromText(text: string, shifts?: Gsm7Shifts): Uint8Array | undefined {
  const { codes } = alphabetOf(shifts)
  const septets = new Uint8Array(text.length * 2)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const code = codes[text.charCodeAt(i)] ?? noCode
    if (code === noCode) return undefined
    if (code > 0x7f) septets[length++] = escapeSeptet
    septets[length++] = code & 0x7f
  }
  return septets.slice(0, length)
}

/**
 * Returns `[n]` for a character of the alphabet, or `[0x1b, n]` for a character that only the extension or single shift
 * table has.
 */
export function septetsOfCharacter(char: string, shifts?: Gsm7Shifts): readonly number[] | undefined {
  const code = char.length === 1 ? (alphabetOf(shifts).codes[char.charCodeAt(0)] ?? noCode) : noCode
  if (code === noCode) return undefined
  return code > 0x7f ? escapedSequences[code & 0x7f] : plainSequences[code]
}

/** Returns a function that gives the number of septets of a character, or infinity if the character has none. */
export function septetCounter(shifts: Gsm7Shifts): (char: string) => number {
  const { codes } = alphabetOf(shifts)
  return (char) => {
    const code = char.length === 1 ? (codes[char.charCodeAt(0)] ?? noCode) : noCode
    return code === noCode ? Number.POSITIVE_INFINITY : code > 0x7f ? 2 : 1
  }
}

/** Returns the characters of a text, each once, that have no septets. */
export function charactersWithoutSeptet(text: string, shifts?: Gsm7Shifts): readonly string[] {
  const { codes } = alphabetOf(shifts)
  const seen = new Set<number>()
  const found: string[] = []
  for (let i = 0; i < text.length; i++) {
    if ((codes[text.charCodeAt(i)] ?? noCode) !== noCode) continue
    const codePoint = text.codePointAt(i)!
    if (codePoint > 0xffff) i++
    if (seen.has(codePoint)) continue
    seen.add(codePoint)
    found.push(String.fromCodePoint(codePoint))
  }
  return found
}

/** Decodes septets. Never fails, because septets that no table defines are decoded by the rules of 23.038 §6.2.1.1. */
export function textFromSeptets(septets: Uint8Array, shifts?: Gsm7Shifts): string {
  const { main, extension } = alphabetOf(shifts)
  let text = ''
  for (let i = 0; i < septets.length; i++) {
    const septet = septets[i]! & 0x7f
    if (septet !== escapeSeptet) {
      text += String.fromCharCode(main[septet]!)
    } else if (++i < septets.length) {
      text += characterBehindEscape(septets[i]! & 0x7f, main, extension)
    } // An escape at the very end is dropped.
  }
  return text
}

function characterBehindEscape(septet: number, main: Uint16Array, extension: Uint16Array): string {
  // This code is reserved for another extension table, and a receiver without that table shows a space.
  if (septet === escapeSeptet) return ' '
  const unit = extension[septet]!
  // A code without an entry is shown as the character with this code in the main table, which may be a locking shift
  // table.
  return String.fromCharCode(unit === noCharacter ? main[septet]! : unit)
}

const escapeSeptet = 0x1b
const noCode = 0xffff
/** U+FFFD stands for the empty cells of the Indian locking tables. */
const unreadable = 0xfffd
const escaped = 0x80

const plainSequences = Array.from({ length: 0x80 }, (_, septet): readonly number[] => [septet])
const escapedSequences = Array.from({ length: 0x80 }, (_, septet): readonly number[] => [escapeSeptet, septet])

interface Alphabet {
  /** The UTF-16 unit of each septet. */
  readonly main: Uint16Array
  readonly extension: Uint16Array
  /** The septet of each UTF-16 unit, plus `escaped` when an escape precedes it. Needs 17 KB for each pair of tables. */
  readonly codes: Uint16Array
}

/** The alphabets, built on first use, because a gateway needs only a few of the 182 possible pairs of tables. */
const alphabets = new Map<number, Alphabet>()

function alphabetOf(shifts: Gsm7Shifts | undefined): Alphabet {
  const locking = tableKey(shifts?.locking)
  const single = tableKey(shifts?.single)
  const key = locking * 0x100 + single
  let alphabet = alphabets.get(key)
  if (alphabet === undefined) {
    alphabet = buildAlphabet(locking, single)
    alphabets.set(key, alphabet)
  }
  return alphabet
}

/** Identifiers without tables share the key of the default, so that a forged header cannot fill the cache. */
function tableKey(language: NationalLanguage | undefined): number {
  return language !== undefined && nationalLanguages.has(language) ? language : 0
}

function buildAlphabet(locking: NationalLanguage, single: NationalLanguage): Alphabet {
  const main = unitsOfSeptetTable(nationalLanguages.get(locking)?.locking ?? defaultAlphabet)
  const extension = unitsOfSeptetTable(nationalLanguages.get(single)?.single ?? defaultExtension)
  const codes = new Uint16Array(Math.max(...main, ...extension) + 1).fill(noCode)
  // Later writes overwrite earlier writes. The extension is written first, and the highest septet first, so that the
  // alphabet takes precedence over the extension, and the lowest septet over higher septets.
  for (let septet = 0x7f; septet >= 0; septet--) codes[extension[septet]!] = escaped | septet
  for (let septet = 0x7f; septet >= 0; septet--) codes[main[septet]!] = septet
  codes[noCharacter] = noCode
  codes[escapeSeptet] = noCode
  return { main: main.map((unit) => (unit === noCharacter ? unreadable : unit)), extension, codes }
}
