import { harmless } from '../terminal-text.ts'

/** Harmless text of at most so many columns: characters of East Asia and emoji take two. */
export function cut(text: string, columns: number): string {
  let used = 0
  let result = ''
  for (const character of harmless(text)) {
    const width = WIDE.test(character) ? 2 : 1
    if (used + width > columns) return result
    used += width
    result += character
  }
  return result
}

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u

/** Four bars from -113 to -51 dBm. */
export function signalBars(dbm: number | undefined): string {
  if (dbm === undefined) return '····'
  const full = Math.max(0, Math.min(4, Math.round(((dbm + 113) / 62) * 4)))
  return '▮'.repeat(full) + '▯'.repeat(4 - full)
}

export const bold = (text: string) => `\x1b[1m${text}\x1b[22m`
export const dim = (text: string) => `\x1b[2m${text}\x1b[22m`
export const reverse = (text: string) => `\x1b[7m${text}\x1b[27m`
