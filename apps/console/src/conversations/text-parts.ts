interface TextPart {
  readonly kind: 'text' | 'link' | 'code'
  readonly part: string
  /** Position in the text. */
  readonly at: number
}

const link = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/
/** A separate number of four to eight digits, which is usually a one-time code. */
const code = /(?<![\d+.,:/-])\d{4,8}(?![\d.,:/-]*\d)/
/** A code in two groups of three digits. An amount such as 100 000 is not a code. */
const codeInGroups = /(?<![\d+.,:/-]|\d )\d{3}[ -](?!000)\d{3}(?![\d.,:/ -]*\d)/
const special = new RegExp([link, codeInGroups, code].map(({ source }) => source).join('|'), 'g')

export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: part, index } of text.matchAll(special)) {
    if (index > end) parts.push({ kind: 'text', part: text.slice(end, index), at: end })
    parts.push({ kind: part.startsWith('http') ? 'link' : 'code', part, at: index })
    end = index + part.length
  }
  if (end < text.length || parts.length === 0) parts.push({ kind: 'text', part: text.slice(end), at: end })
  return parts
}

/** A match is visible in a list that is 240 pixels wide if at most this many characters precede it. */
const MOST_CHARACTERS = 16

/** Keeps only the end of the text before a match, cut at a space if there is one. */
export function shortLead(lead: string): string {
  const characters = Array.from(lead)
  if (characters.length <= MOST_CHARACTERS) return lead
  const end = characters.slice(-MOST_CHARACTERS).join('')
  return `…${/\s(?=\S)/.test(end) ? end.replace(/^\S*\s+/, '') : end}`
}
