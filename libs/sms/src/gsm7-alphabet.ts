import { type NationalLanguage, nationalLanguages } from './national-language.ts'
import { defaultAlphabet, defaultExtension } from './national-tables/default.ts'
import { noCharacter, unitsOfSeptetTable } from './septet-table.ts'

/**
 * The tables a text is written in (23.038 §6.2.1.2): `locking` takes the place of the default alphabet, `single` that of
 * the extension table behind an escape. A language that is absent, unknown or without such a table leaves the default.
 */
export interface Gsm7Shifts {
  readonly locking?: NationalLanguage | undefined
  readonly single?: NationalLanguage | undefined
}

/** One septet per element, or undefined when a character has none. A character is never replaced by a similar one. */
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

/** `[n]`, or `[0x1b, n]` for a character of the extension or single shift table. One septet is preferred to two. */
export function septetsOfCharacter(char: string, shifts?: Gsm7Shifts): readonly number[] | undefined {
  const code = char.length === 1 ? (alphabetOf(shifts).codes[char.charCodeAt(0)] ?? noCode) : noCode
  if (code === noCode) return undefined
  return code > 0x7f ? escapedSequences[code & 0x7f] : plainSequences[code]
}

/** How many septets a character takes, infinitely many when it has none: for the many characters of a text. */
export function septetCounter(shifts: Gsm7Shifts): (char: string) => number {
  const { codes } = alphabetOf(shifts)
  return (char) => {
    const code = char.length === 1 ? (codes[char.charCodeAt(0)] ?? noCode) : noCode
    return code === noCode ? Number.POSITIVE_INFINITY : code > 0x7f ? 2 : 1
  }
}

/** The characters of a text, each once, for which {@link septetsOfCharacter} has no answer. */
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

/** Every sequence of septets reads as some text: what no table defines is settled by the rules of 23.038 §6.2.1.1. */
export function textFromSeptets(septets: Uint8Array, shifts?: Gsm7Shifts): string {
  const { main, extension } = alphabetOf(shifts)
  let text = ''
  for (let i = 0; i < septets.length; i++) {
    const septet = septets[i]! & 0x7f
    if (septet !== escapeSeptet) {
      text += String.fromCharCode(main[septet]!)
    } else if (++i < septets.length) {
      text += characterBehindEscape(septets[i]! & 0x7f, main, extension)
    } // An escape at the very end announces nothing and is dropped.
  }
  return text
}

function characterBehindEscape(septet: number, main: Uint16Array, extension: Uint16Array): string {
  // Kept for a further extension table; a receiver that knows of none shows a space.
  if (septet === escapeSeptet) return ' '
  const unit = extension[septet]!
  // A code the table does not define shows the character of the alphabet in use, locking shift included.
  return String.fromCharCode(unit === noCharacter ? main[septet]! : unit)
}

const escapeSeptet = 0x1b
const noCode = 0xffff
/** What the empty cells of the locking tables of India read as: U+FFFD. */
const unreadable = 0xfffd
const escaped = 0x80

const plainSequences = Array.from({ length: 0x80 }, (_, septet): readonly number[] => [septet])
const escapedSequences = Array.from({ length: 0x80 }, (_, septet): readonly number[] => [escapeSeptet, septet])

interface Alphabet {
  /** UTF-16 unit by septet. */
  readonly main: Uint16Array
  readonly extension: Uint16Array
  /** Septet by UTF-16 unit; `escaped` added when an escape goes in front. 17 KB for each pair that is used. */
  readonly codes: Uint16Array
}

/** Built at first use: of the 182 pairs that are possible a gateway meets a handful. */
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

/** Identifiers without tables share the default's key, so that a stranger's header cannot fill the cache. */
function tableKey(language: NationalLanguage | undefined): number {
  return language !== undefined && nationalLanguages.has(language) ? language : 0
}

function buildAlphabet(locking: NationalLanguage, single: NationalLanguage): Alphabet {
  const main = unitsOfSeptetTable(nationalLanguages.get(locking)?.locking ?? defaultAlphabet)
  const extension = unitsOfSeptetTable(nationalLanguages.get(single)?.single ?? defaultExtension)
  const codes = new Uint16Array(Math.max(...main, ...extension) + 1).fill(noCode)
  // Last write wins: the alphabet overrules the extension, and within a table the lowest septet counts.
  for (let septet = 0x7f; septet >= 0; septet--) codes[extension[septet]!] = escaped | septet
  for (let septet = 0x7f; septet >= 0; septet--) codes[main[septet]!] = septet
  codes[noCharacter] = noCode
  codes[escapeSeptet] = noCode
  return { main: main.map((unit) => (unit === noCharacter ? unreadable : unit)), extension, codes }
}
