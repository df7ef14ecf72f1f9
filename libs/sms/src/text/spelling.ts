import { fractions, replacements, styledCharacter } from './transliteration-table.ts'

/**
 * The alternative spellings of a character or of a letter with its marks, best first. `spellingOf` finds them once for
 * all alphabets. `spelledWith` chooses the best spelling for one alphabet, which takes far less time.
 */
export interface Spelling {
  /** The composed characters. Each of them must be kept or replaced. */
  readonly characters: readonly { readonly char: string; readonly instead: Spelling | undefined }[]
  /** The Latin or Greek letter without its last accent: `ǜ` → `ü`, `ế` → `ê`. */
  readonly lessMarked: Spelling | undefined
}

/**
 * Returns undefined for a letter with more marks than any language uses, because ordering them takes quadratic
 * time.
 */
export function spellingOf(cluster: string): Spelling | undefined {
  if (cluster.length > longestCluster) return undefined
  const composed = Array.from(cluster.normalize('NFC'))
  // A single character gets no `lessMarked` of its own, because it would be the same as the `lessMarked` of the
  // cluster.
  const isAlone = composed.length === 1
  return {
    characters: composed.map((char) => ({
      char,
      instead: plainSpelling(char) ?? (isAlone ? undefined : lessMarked(char)),
    })),
    lessMarked: lessMarked(cluster),
  }
}

/** Returns a spelling made only of kept characters, or undefined. */
export function spelledWith(spelling: Spelling, keep: (char: string) => boolean): string | undefined {
  let whole = ''
  for (const { char, instead } of spelling.characters) {
    const part = keep(char) ? char : instead && spelledWith(instead, keep)
    if (part === undefined) return spelling.lessMarked && spelledWith(spelling.lessMarked, keep)
    whole += part
  }
  return whole
}

export function withoutAccentsInCapitals(greek: string): string {
  return greek.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
}

function plainSpelling(char: string): Spelling | undefined {
  const plain = replacements.get(char) ?? fractions.get(char) ?? withoutStyle(char)
  return plain === undefined ? undefined : spellingOf(plain)
}

function withoutStyle(char: string): string | undefined {
  const plain = styledCharacter.test(char) ? char.normalize('NFKC') : char
  // Skips the gaps in the blocks, because unassigned code points have no plain form.
  return plain === char ? undefined : plain
}

function lessMarked(cluster: string): Spelling | undefined {
  const decomposed = cluster.normalize('NFD')
  return accentedLetter.test(decomposed) ? spellingOf(decomposed.slice(0, -1)) : undefined
}

const longestCluster = 8

// These marks are single UTF-16 units.
const accentedLetter = /^[\p{Script=Latin}\p{Script=Greek}][\u0300-\u036f]+$/u
