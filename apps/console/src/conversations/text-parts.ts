interface TextPart {
  readonly kind: 'text' | 'link' | 'code'
  readonly part: string
  /** Position in the text. */
  readonly at: number
}

/** Invisible characters, some of which reverse the text after them, so that an address looks like another one. */
const invisible = String.raw`\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff`
const inAddress = String.raw`[^\s<>"'()${invisible}]`
const inBrackets = String.raw`\(${inAddress}*\)`
/** The last character of an address. Punctuation after an address is not a part of it. */
const lastOfAddress = String.raw`[^\s<>"'.,;:!?)\]([،؛؟»«”“„’…。、${invisible}]`
/** An address. A closing bracket is a part of the address if the address contains the opening bracket. */
const link = String.raw`(?<!\w)(?:https?:\/\/|www\.)(?:${inAddress}|${inBrackets})*(?:${lastOfAddress}|${inBrackets})`
/** A phone number with spaces, which contains no codes. */
const phoneNumber = /\+\d(?:[ ()-]{0,2}\d){6,14}/
/** A separate number of four to eight digits, which is usually a one-time code. */
const code = /(?<![\d+.,:/-])\d{4,8}(?![.,:/-]*\d)/
/** A code in two groups of three digits. An amount such as 100 000 is not a code. */
const codeInGroups = /(?<![\d+.,:/-]|\d )\d{3}[ -](?!000)\d{3}(?![.,:/ -]*\d)/
const special = new RegExp(
  `(?<link>${link})|${phoneNumber.source}|(?<code>${codeInGroups.source}|${code.source})`,
  'gi',
)

export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: part, index, groups } of text.matchAll(special)) {
    const kind = groups?.['link'] === undefined ? 'code' : 'link'
    if (groups?.[kind] === undefined || (kind === 'link' && !showsItsHost(part))) continue
    if (index > end) parts.push({ kind: 'text', part: text.slice(end, index), at: end })
    parts.push({ kind, part, at: index })
    end = index + part.length
  }
  if (end < text.length || parts.length === 0) parts.push({ kind: 'text', part: text.slice(end), at: end })
  return parts
}

/** False for an address such as https://bank.example@evil.example, which looks like an address of another host. */
function showsItsHost(part: string): boolean {
  const target = linkTarget(part)
  if (!URL.canParse(target)) return false
  const { username, password } = new URL(target)
  return username === '' && password === ''
}

/** Returns the address that a link opens. */
export function linkTarget(part: string): string {
  return /^www\./i.test(part) ? `https://${part}` : part
}

interface Piece {
  readonly piece: string
  /** Position in the text. */
  readonly at: number
  readonly isMarked: boolean
}

/** More marks would help nobody and would make the page slow. */
const MOST_MARKS = 200

/** Cuts the parts of a text where a search text begins or ends, which may be inside a link or a code. */
export function markedParts(text: string, marked: string): (TextPart & { readonly pieces: readonly Piece[] })[] {
  const matches = matchesIn(text, marked)
  let next = 0
  return textParts(text).map((whole) => {
    const end = whole.at + whole.part.length
    const pieces: Piece[] = []
    for (let at = whole.at; at < end; ) {
      const { from, to } = matches[next] ?? { from: end, to: end }
      const isMarked = from <= at
      const cut = Math.min(isMarked ? to : from, end)
      pieces.push({ piece: text.slice(at, cut), at, isMarked })
      at = cut
      if (to <= at) next += 1
    }
    return { ...whole, pieces }
  })
}

/** Returns the first matches, in the order of the text. */
function matchesIn(text: string, marked: string): readonly { readonly from: number; readonly to: number }[] {
  const matches: { from: number; to: number }[] = []
  if (marked === '') return matches
  const pattern = new RegExp(marked.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu')
  for (const { 0: found, index } of text.matchAll(pattern)) {
    matches.push({ from: index, to: index + found.length })
    if (matches.length === MOST_MARKS) break
  }
  return matches
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
