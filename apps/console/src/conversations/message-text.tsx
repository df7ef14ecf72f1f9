import { useState } from 'react'
import { t } from '../words/text.ts'
import './message-text.css'

/** The text of a message: links open in a new tab, codes are copied by a click, and a search text is marked. */
export function MessageText({ text, marked }: { readonly text: string; readonly marked?: string | undefined }) {
  return (
    <p dir="auto">
      {textParts(text).map(({ kind, part, at }) => {
        if (kind === 'link')
          return (
            <a key={at} href={part} target="_blank" rel="noreferrer">
              {part}
            </a>
          )
        if (kind === 'code') return <Code key={at} code={part} />
        return <Marked key={at} text={part} marked={marked} />
      })}
    </p>
  )
}

function Code({ code }: { readonly code: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className="message-code"
      title={isCopied ? t('common.copied') : t('common.copy')}
      onClick={() => void navigator.clipboard?.writeText(code).then(() => setCopied(true))}
    >
      {code}
    </button>
  )
}

function Marked({ text, marked = '' }: { readonly text: string; readonly marked?: string | undefined }) {
  const at = marked === '' ? -1 : text.toLowerCase().indexOf(marked.toLowerCase())
  if (at === -1) return text
  const end = at + marked.length
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  )
}

interface TextPart {
  readonly kind: 'text' | 'link' | 'code'
  readonly part: string
  /** Position in the text. */
  readonly at: number
}

/** Links, and numbers of four to eight digits that stand alone, as one-time codes do. */
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
