import { type Spelling, spelledWith, spellingOf, withoutAccentsInCapitals } from './spelling.ts'
import { fractions, invisible, invisibleRun } from './transliteration-table.ts'

export interface Transliteration {
  readonly text: string
  /** The replaced texts with their replacements. The replacement of a removed invisible character is ''. */
  readonly replaced: ReadonlyMap<string, string>
}

type Keep = (char: string) => boolean

/**
 * A text, analysed once, that can be transliterated to several alphabets. `keep` decides which characters an alphabet
 * has. A character without a good replacement stays unchanged, so no meaning is lost.
 *
 * Cyrillic is not changed, because its Latin spelling depends on the language, which is unknown.
 */
export class TransliterableText {
  readonly #text: string
  readonly #sections: readonly Section[]
  /**
   * Pieces that an earlier alphabet lacked. These pieces are checked first, because the next alphabet probably lacks
   * them too.
   */
  readonly #blockers = new Set<Piece>()

  constructor(text: string) {
    this.#text = text
    this.#sections = sectionsOf(text)
  }

  /** Does not change characters that have no replacement. */
  bestEffort(keep: Keep): Transliteration {
    return this.#transliterated(keep, () => true) ?? { text: this.#text, replaced: new Map() }
  }

  /** Returns undefined if a character can be neither kept nor replaced. */
  complete(keep: Keep): Transliteration | undefined {
    const mayStay = ({ text }: Piece) => everyCharacter(text, (char) => keep(char) || invisible.test(char))
    for (const piece of this.#blockers) if (spelled(piece, keep) === undefined && !mayStay(piece)) return undefined
    return this.#transliterated(keep, mayStay)
  }

  /**
   * Returns a set with every character that a transliteration of the text may contain, for any alphabet. The set may
   * contain other characters too.
   */
  possibleCharacters(): ReadonlySet<string> {
    const possible = new Set(this.#text).add(' ')
    const follow = (spelling: Spelling | undefined): void => {
      for (const { char, instead } of spelling?.characters ?? []) {
        possible.add(char)
        follow(instead)
      }
      if (spelling !== undefined) follow(spelling.lessMarked)
    }
    const distinct = new Set(this.#sections.flatMap(({ pieces, capitals }) => [...pieces, ...(capitals ?? [])]))
    for (const piece of distinct) follow(piece.spelling)
    return possible
  }

  /** Returns undefined if a piece has no replacement and cannot be kept unchanged. */
  #transliterated(keep: Keep, mayStay: (piece: Piece) => boolean): Transliteration | undefined {
    const replaced = new Map<string, string>()
    if (everyCharacter(this.#text, keep)) return { text: this.#text, replaced }
    const record = (from: string, to: string): string => {
      if (to !== from) replaced.set(from, to)
      return to
    }
    const spell = rememberSpelled(keep)
    let joined = ''
    let last = ''
    let allSpelled = true
    for (const { text, capitals, pieces } of this.#sections) {
      const inCapitals = capitals && !everyCharacter(text, keep) ? spelledTogether(capitals, spell) : undefined
      if (inCapitals !== undefined) {
        last = record(text, inCapitals)
        joined += last
        continue
      }
      for (const piece of pieces) {
        const replacement = spell(piece)
        if (replacement === undefined && !mayStay(piece)) {
          if (capitals === undefined) this.#blockers.add(piece)
          return undefined
        }
        allSpelled &&= replacement !== undefined
        const blank = piece.isFraction && endsInDigit.test(last) ? ' ' : ''
        last = replacement === undefined ? piece.text : record(piece.text, blank + replacement)
        joined += last
      }
    }
    if (allSpelled) return { text: joined, replaced }
    const visible = joined.replace(invisibleRun, (run) => (everyCharacter(run, keep) ? run : record(run, '')))
    return { text: visible, replaced }
  }
}

/** A Greek word, or the text between two Greek words. */
interface Section {
  readonly text: string
  /** The spelling of a Greek word in capitals. The word is sent in this spelling or unchanged. */
  readonly capitals: readonly Piece[] | undefined
  readonly pieces: readonly Piece[]
}

/** A character with its marks. Repeated occurrences in a text share one object. */
class Piece {
  readonly text: string
  readonly isFraction: boolean
  #spelling: Spelling | undefined
  #isSpelled = false

  constructor(text: string) {
    this.text = text
    this.isFraction = fractions.has(text)
  }

  /** Computed on first use. */
  get spelling(): Spelling | undefined {
    if (!this.#isSpelled) this.#spelling = spellingOf(this.text)
    this.#isSpelled = true
    return this.#spelling
  }
}

/**
 * Greek words are sent in capitals without accents in GSM-7: `Καλημέρα` → `KAΛHMEPA`. Single letters, and letters next
 * to Latin letters or digits, are symbols and stay unchanged, because 5 Mg is not 5 μg.
 */
function sectionsOf(text: string): Section[] {
  const pieceOf = rememberPieces()
  const piecesOf = (section: string) => Array.from(section.match(characterWithItsMarks) ?? [], pieceOf)
  const sections: Section[] = []
  const between = (start: number, end: number) => {
    const found = text.slice(start, end)
    if (found !== '') sections.push({ text: found, capitals: undefined, pieces: piecesOf(found) })
  }
  let end = 0
  for (const { 0: found, index } of hasGreek.test(text) ? text.matchAll(word) : []) {
    if (!greekWord.test(found)) continue
    between(end, index)
    const capitals = Array.from(withoutAccentsInCapitals(found), pieceOf)
    sections.push({ text: found, capitals, pieces: piecesOf(found) })
    end = index + found.length
  }
  between(end, text.length)
  return sections
}

function rememberPieces(): (text: string) => Piece {
  const known = new Map<string, Piece>()
  return (text) => {
    const piece = known.get(text) ?? new Piece(text)
    known.set(text, piece)
    return piece
  }
}

function rememberSpelled(keep: Keep): (piece: Piece) => string | undefined {
  const known = new Map<Piece, string | undefined>()
  return (piece) => {
    const found = known.get(piece)
    if (found !== undefined) return found
    const replacement = spelled(piece, keep)
    known.set(piece, replacement)
    return replacement
  }
}

/** Returns a spelling made only of kept characters, or undefined. */
function spelled(piece: Piece, keep: Keep): string | undefined {
  if (everyCharacter(piece.text, keep)) return piece.text
  return piece.spelling && spelledWith(piece.spelling, keep)
}

function spelledTogether(pieces: readonly Piece[], spell: (piece: Piece) => string | undefined): string | undefined {
  let whole = ''
  for (const piece of pieces) {
    const part = spell(piece)
    if (part === undefined) return undefined
    whole += part
  }
  return whole
}

function everyCharacter(text: string, keep: Keep): boolean {
  for (const char of text) if (!keep(char)) return false
  return true
}

// Variation selectors are also marks, but are handled separately, like other invisible characters.
const characterWithItsMarks = /\P{M}(?:(?![\ufe0e\ufe0f])\p{M})*|\p{M}/gu
const endsInDigit = /\p{Nd}$/u
const hasGreek = /\p{Script=Greek}/u
const word = /[\p{L}\p{M}\p{N}]+/gu
// Matches Greek words. The words of one letter are the articles η and ο, and the word ή (which means "or"). Marks of
// the Greek script do not count as letters, because many marks in a row would match in exponentially many ways.
const greekWord = /^(?:(?:(?!\p{M})\p{Script=Greek}\p{M}{0,3}){2,}|[ηοή]|η\u0301)$/u
