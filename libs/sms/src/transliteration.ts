import { type Spelling, spelledWith, spellingOf, withoutAccentsInCapitals } from './spelling.ts'
import { fractions, invisible, invisibleRun } from './transliteration-table.ts'

export interface Transliteration {
  readonly text: string
  /** What was replaced, each once, and by what; by '' when it was invisible and taken out. */
  readonly replaced: ReadonlyMap<string, string>
}

type Keep = (char: string) => boolean

/**
 * Writes with other characters what `keep` refuses, so that a text may fit an alphabet it just misses. Meaning is never
 * dropped: a character that has no good replacement among the kept ones stays as it is, and the caller finds it there.
 *
 * Cyrillic stays: its Latin spelling depends on the language, which a text does not tell.
 */
export function transliterate(text: string, keep: Keep): Transliteration {
  return new TransliterableText(text).asFarAsPossible(keep)
}

/** A text taken apart once, to be written in any number of alphabets. */
export class TransliterableText {
  readonly #text: string
  readonly #stretches: readonly Stretch[]
  /** Each of them made some alphabet impossible. They come first for the next one: it most likely lacks them too. */
  readonly #stoppers = new Set<Piece>()

  constructor(text: string) {
    this.#text = text
    this.#stretches = stretchesOf(text)
  }

  /** What cannot be replaced is left as it is. */
  asFarAsPossible(keep: Keep): Transliteration {
    return this.#written(keep, () => true) ?? { text: this.#text, replaced: new Map() }
  }

  /** Undefined as soon as anything is found that can neither be kept nor replaced. */
  whole(keep: Keep): Transliteration | undefined {
    const mayStay = ({ text }: Piece) => everyCharacter(text, (char) => keep(char) || invisible.test(char))
    for (const piece of this.#stoppers) if (spelled(piece, keep) === undefined && !mayStay(piece)) return undefined
    return this.#written(keep, mayStay)
  }

  /** Every character that may be written for the text, whatever is kept; more than that, but never less. */
  reach(): ReadonlySet<string> {
    const reached = new Set(this.#text).add(' ')
    const follow = (spelling: Spelling | undefined): void => {
      for (const { char, instead } of spelling?.characters ?? []) {
        reached.add(char)
        follow(instead)
      }
      if (spelling !== undefined) follow(spelling.lessMarked)
    }
    const distinct = new Set(this.#stretches.flatMap(({ pieces, capitals }) => [...pieces, ...(capitals ?? [])]))
    for (const piece of distinct) follow(piece.spelling)
    return reached
  }

  /** Undefined if a piece has no replacement and may not stay either. */
  #written(keep: Keep, mayStay: (piece: Piece) => boolean): Transliteration | undefined {
    const replaced = new Map<string, string>()
    if (everyCharacter(this.#text, keep)) return { text: this.#text, replaced }
    const note = (from: string, to: string): string => {
      if (to !== from) replaced.set(from, to)
      return to
    }
    const spell = rememberSpelled(keep)
    let written = ''
    let last = ''
    let allSpelled = true
    for (const { text, capitals, pieces } of this.#stretches) {
      const inCapitals = capitals && !everyCharacter(text, keep) ? spelledTogether(capitals, spell) : undefined
      if (inCapitals !== undefined) {
        last = note(text, inCapitals)
        written += last
        continue
      }
      for (const piece of pieces) {
        const replacement = spell(piece)
        if (replacement === undefined && !mayStay(piece)) {
          if (capitals === undefined) this.#stoppers.add(piece)
          return undefined
        }
        allSpelled &&= replacement !== undefined
        const blank = piece.isFraction && endsInDigit.test(last) ? ' ' : ''
        last = replacement === undefined ? piece.text : note(piece.text, blank + replacement)
        written += last
      }
    }
    if (allSpelled) return { text: written, replaced }
    const visible = written.replace(invisibleRun, (run) => (everyCharacter(run, keep) ? run : note(run, '')))
    return { text: visible, replaced }
  }
}

/** A Greek word, or what stands between two. */
interface Stretch {
  readonly text: string
  /** The letters of a Greek word, which is sent in capitals or as it stands. */
  readonly capitals: readonly Piece[] | undefined
  readonly pieces: readonly Piece[]
}

/** A character with its marks; where the text has it twice, the same object. */
class Piece {
  readonly text: string
  readonly isFraction: boolean
  #spelling: Spelling | undefined
  #isSpelled = false

  constructor(text: string) {
    this.text = text
    this.isFraction = fractions.has(text)
  }

  /** Worked out when it is first needed. */
  get spelling(): Spelling | undefined {
    if (!this.#isSpelled) this.#spelling = spellingOf(this.text)
    this.#isSpelled = true
    return this.#spelling
  }
}

/**
 * Greek is sent in capitals, without accents, wherever seven bits have to do: `Καλημέρα` → `KAΛHMEPA`. Words alone:
 * a lone letter, or one beside Latin or a figure, is a symbol, and 5 Mg are not 5 μg.
 */
function stretchesOf(text: string): Stretch[] {
  const pieceOf = rememberPieces()
  const piecesOf = (stretch: string) => Array.from(stretch.match(characterWithItsMarks) ?? [], pieceOf)
  const stretches: Stretch[] = []
  const between = (start: number, end: number) => {
    const found = text.slice(start, end)
    if (found !== '') stretches.push({ text: found, capitals: undefined, pieces: piecesOf(found) })
  }
  let end = 0
  for (const { 0: found, index } of hasGreek.test(text) ? text.matchAll(word) : []) {
    if (!greekWord.test(found)) continue
    between(end, index)
    const capitals = Array.from(withoutAccentsInCapitals(found), pieceOf)
    stretches.push({ text: found, capitals, pieces: piecesOf(found) })
    end = index + found.length
  }
  between(end, text.length)
  return stretches
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

/** Kept characters alone, or undefined. */
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

// A variation selector is a mark too, but an invisible one: it stands alone here and goes with the invisible ones.
const characterWithItsMarks = /\P{M}(?:(?![\ufe0e\ufe0f])\p{M})*|\p{M}/gu
const endsInDigit = /\p{Nd}$/u
const hasGreek = /\p{Script=Greek}/u
const word = /[\p{L}\p{M}\p{N}]+/gu
// The three that are words by themselves: the articles η and ο, and ή, "or". Some marks are Greek too: if one could be a
// letter here, a heap of them would be matched in exponentially many ways.
const greekWord = /^(?:(?:(?!\p{M})\p{Script=Greek}\p{M}{0,3}){2,}|[ηοή]|η\u0301)$/u
