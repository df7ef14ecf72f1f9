import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { t } from '../words/text.ts'
import { Icon } from './icon.tsx'
import { scrollEdges } from './scroll-edges.ts'
import './copy-field.css'

/** A command, a token or a snippet with a button that copies it. */
export function CopyField({
  name,
  value,
  isLong = false,
  isNamed = false,
}: {
  readonly name: string
  readonly value: string
  readonly isLong?: boolean
  /** Shows the name above the value. */
  readonly isNamed?: boolean
}) {
  const text = useRef<HTMLPreElement>(null)
  const [copied, setCopied] = useState<string>()
  const isCopied = copied === value
  const field = (
    <div className={isLong ? 'copy-field is-long' : 'copy-field'} dir="ltr">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable by key */}
      <section ref={scrollEdges} aria-label={name} tabIndex={0}>
        <pre ref={text}>
          <code>{value}</code>
        </pre>
      </section>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name={isCopied ? 'tick' : 'copy'} size={15} />}
        onClick={async () => {
          if (await copyText(value, text.current)) setCopied(value)
        }}
      >
        {isCopied ? t('common.copied') : t('common.copy')}
        <span className="unseen"> {name}</span>
      </Button>
    </div>
  )
  if (!isNamed) return field
  return (
    <div>
      <p className="small quiet" aria-hidden="true">
        <bdi>{name}</bdi>
      </p>
      {field}
    </div>
  )
}

/**
 * Copies a text. The clipboard API exists only over HTTPS and on localhost. Elsewhere, the element that shows the text
 * is selected, and the browser copies the text instead of the selection. Returns false if the browser refuses to copy.
 */
export async function copyText(text: string, shown: HTMLElement | null): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      // Ignores a refusal of the browser, because copying the selection below may still work.
    }
  }
  if (shown === null) return false
  const replace = (event: ClipboardEvent) => {
    event.preventDefault()
    event.clipboardData?.setData('text/plain', text)
  }
  getSelection()?.selectAllChildren(shown)
  document.addEventListener('copy', replace, { once: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', replace)
  }
}
