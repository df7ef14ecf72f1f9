import { fractions, invisibleRun, replacements, styledCharacter } from './transliteration-table.ts'

export interface Transliteration {
  readonly text: string
  /** What was replaced, each once, and by what; by '' when it was invisible and taken out. */
  readonly replaced: ReadonlyMap<string, string>
}

/**
 * Writes with other characters what `keep` refuses, so that a text may fit an alphabet it just misses. Meaning is never
 * dropped: a character that has no good replacement among the kept ones stays as it is, and the caller finds it there.
 *
 * Cyrillic stays: its Latin spelling depends on the language, which a text does not tell.
 */
export function transliterate(text: string, keep: (char: string) => boolean): Transliteration {
  const replaced = new Map<string, string>()
  if (everyCharacter(text, keep)) return { text, replaced }

  const note = (from: string, to: string): string => {
    if (to !== from) replaced.set(from, to)
    return to
  }
  let written = ''
  let last = ''
  for (const [cluster] of withGreekInCapitals(text, keep, note).matchAll(characterWithItsMarks)) {
    const spaced = fractions.has(cluster) && endsInDigit.test(last) ? ' ' : ''
    const replacement = everyCharacter(cluster, keep) ? cluster : replacementOf(cluster, keep)
    last = replacement === undefined ? cluster : note(cluster, spaced + replacement)
    written += last
  }
  const visible = written.replace(invisibleRun, (run) => (everyCharacter(run, keep) ? run : note(run, '')))
  return { text: visible, replaced }
}

/** Every character that {@link transliterate} may write for a text, whatever is kept; more than that, but never less. */
export function charactersInReach(text: string): ReadonlySet<string> {
  const reached = new Set(text).add(' ')
  const followed = new Set<string>()
  const follow = (piece: string): void => {
    if (followed.has(piece)) return
    followed.add(piece)
    const decomposed = piece.normalize('NFD')
    if (accentedLetter.test(decomposed)) follow(decomposed.slice(0, -1))
    for (const char of piece.normalize('NFC')) {
      reached.add(char)
      follow(plainForm(char) ?? char)
      if (greekLetter.test(char)) for (const letter of inCapitals(char)) follow(letter)
    }
  }
  for (const cluster of new Set(text.match(characterWithItsMarks)))
    if (cluster.length <= longestCluster) follow(cluster)
  return reached
}

// A variation selector is a mark too, but an invisible one: it stands alone here and goes with the invisible ones.
const characterWithItsMarks = /\P{M}(?:(?![\ufe0e\ufe0f])\p{M})*|\p{M}/gu
const longestCluster = 8
const endsInDigit = /\p{Nd}$/u

function everyCharacter(text: string, keep: (char: string) => boolean): boolean {
  for (const char of text) if (!keep(char)) return false
  return true
}

/**
 * Kept characters alone, or undefined: also for a letter under a heap of marks, which is none of any language, and which
 * would cost the square of its length to put in order.
 */
function replacementOf(cluster: string, keep: (char: string) => boolean): string | undefined {
  if (cluster.length > longestCluster) return undefined
  let whole = ''
  for (const char of cluster.normalize('NFC')) {
    const part = keep(char) ? char : replacementOfCharacter(char, keep)
    if (part === undefined) return withoutMarks(cluster, keep)
    whole += part
  }
  return whole
}

function replacementOfCharacter(char: string, keep: (char: string) => boolean): string | undefined {
  const plain = plainForm(char)
  return plain === undefined ? withoutMarks(char, keep) : replacementOf(plain, keep)
}

function plainForm(char: string): string | undefined {
  return replacements.get(char) ?? fractions.get(char) ?? withoutStyle(char)
}

function withoutStyle(char: string): string | undefined {
  const plain = styledCharacter.test(char) ? char.normalize('NFKC') : char
  // The blocks have gaps, and what is not assigned stands for nothing else.
  return plain === char ? undefined : plain
}

/** The Latin or Greek letter with as many of its accents as can be kept: `ǜ` → `ü`, `ế` → `e`. */
function withoutMarks(cluster: string, keep: (char: string) => boolean): string | undefined {
  const decomposed = cluster.normalize('NFD')
  if (!accentedLetter.test(decomposed)) return undefined
  return replacementOf(decomposed.slice(0, -1), keep)
}

// These marks are single UTF-16 units.
const accentedLetter = /^[\p{Script=Latin}\p{Script=Greek}][\u0300-\u036f]+$/u

/**
 * Greek is sent in capitals, without accents, wherever seven bits have to do: `Καλημέρα` → `KAΛHMEPA`. Words alone:
 * a lone letter, or one beside Latin or a figure, is a symbol, and 5 Mg are not 5 μg.
 */
function withGreekInCapitals(
  text: string,
  keep: (char: string) => boolean,
  note: (from: string, to: string) => string,
): string {
  return text.replace(word, (found) => {
    if (!greekWord.test(found) || everyCharacter(found, keep)) return found
    const written = Array.from(inCapitals(found), (letter) => replacementOf(letter, keep))
    return written.includes(undefined) ? found : note(found, written.join(''))
  })
}

function inCapitals(greek: string): string {
  return greek.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
}

const greekLetter = /^\p{Script=Greek}$/u
const word = /[\p{L}\p{M}\p{N}]+/gu
// The three that are words by themselves: the articles η and ο, and ή, "or". Some marks are Greek too: if one could be a
// letter here, a heap of them would be matched in exponentially many ways.
const greekWord = /^(?:(?:(?!\p{M})\p{Script=Greek}\p{M}{0,3}){2,}|[ηοή]|η\u0301)$/u
