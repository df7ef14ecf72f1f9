import { useState } from 'react'
import { t } from '../words/text.ts'
import { textParts } from './text-parts.ts'
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
      onClick={() => void navigator.clipboard?.writeText(code.replace(/\D/g, '')).then(() => setCopied(true))}
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
