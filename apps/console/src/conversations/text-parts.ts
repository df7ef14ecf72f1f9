interface TextPart {
  readonly kind: 'text' | 'link' | 'code'
  readonly part: string
  /** Position in the text. */
  readonly at: number
}

/** Matches links, and separate numbers of four to eight digits, which are usually one-time codes. */
const special = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]|(?<![\d+.,:/-])\d{4,8}(?![\d.,:/-]*\d)/g

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
