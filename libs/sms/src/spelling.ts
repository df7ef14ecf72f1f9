import { fractions, replacements, styledCharacter } from './transliteration-table.ts'

/**
 * How a character, or a letter with its marks, may be written otherwise, best first. Which way is taken hangs on the
 * alphabet; what the ways are does not, and to find them costs far more than to choose.
 */
export interface Spelling {
  /** Composed. All of them have to be kept or replaced. */
  readonly characters: readonly { readonly char: string; readonly instead: Spelling | undefined }[]
  /** The Latin or Greek letter with its last accent gone: `ǜ` → `ü`, `ế` → `ê`. */
  readonly lessMarked: Spelling | undefined
}

/**
 * Undefined for a letter under a heap of marks, which is none of any language, and which would cost the square of its
 * length to put in order.
 */
export function spellingOf(cluster: string): Spelling | undefined {
  if (cluster.length > longestCluster) return undefined
  const composed = Array.from(cluster.normalize('NFC'))
  // A character that is alone loses its marks as the whole cluster does.
  const isAlone = composed.length === 1
  return {
    characters: composed.map((char) => ({
      char,
      instead: plainSpelling(char) ?? (isAlone ? undefined : lessMarked(char)),
    })),
    lessMarked: lessMarked(cluster),
  }
}

/** Kept characters alone, or undefined. */
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
  // The blocks have gaps, and what is not assigned stands for nothing else.
  return plain === char ? undefined : plain
}

function lessMarked(cluster: string): Spelling | undefined {
  const decomposed = cluster.normalize('NFD')
  return accentedLetter.test(decomposed) ? spellingOf(decomposed.slice(0, -1)) : undefined
}

const longestCluster = 8

// These marks are single UTF-16 units.
const accentedLetter = /^[\p{Script=Latin}\p{Script=Greek}][\u0300-\u036f]+$/u
