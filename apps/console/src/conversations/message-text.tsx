import { type ReactNode, useMemo, useRef, useState } from 'react'
import { copyText } from '../ui/copy-field.tsx'
import { t } from '../words/text.ts'
import { linkTarget, markedParts } from './text-parts.ts'
import './message-text.css'

/** The text of a message: links open in a new tab, codes are copied by a click, and a search text is marked. */
export function MessageText({ text, marked = '' }: { readonly text: string; readonly marked?: string | undefined }) {
  const parts = useMemo(() => markedParts(text, marked), [text, marked])
  return (
    <p dir="auto">
      {parts.map(({ kind, part, at, pieces }) => {
        const shown = pieces.map(({ piece, at: start, isMarked }) =>
          isMarked ? <mark key={start}>{piece}</mark> : piece,
        )
        if (kind === 'link')
          return (
            <a key={at} dir="ltr" href={linkTarget(part)} target="_blank" rel="noreferrer">
              {shown}
            </a>
          )
        return kind === 'code' ? (
          <Code key={at} code={part}>
            {shown}
          </Code>
        ) : (
          shown
        )
      })}
    </p>
  )
}

function Code({ code, children }: { readonly code: string; readonly children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null)
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      ref={button}
      type="button"
      className="message-code"
      title={isCopied ? t('common.copied') : t('common.copy')}
      onClick={async () => setCopied(await copyText(code.replace(/\D/g, ''), button.current))}
    >
      {children}
    </button>
  )
}
