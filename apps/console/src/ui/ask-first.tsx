import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../words/text.ts'
import { ProblemNote } from './problem-note.tsx'
import './ask-first.css'

/** Something that cannot be undone is asked about first. */
export function AskFirst({
  title,
  children,
  action,
  refusal = t('common.cancel'),
  isHarmless = false,
  isOpen,
  deed,
  onYes,
  onClose,
}: {
  readonly title: string
  readonly children: ReactNode
  /** What the button says: a verb. */
  readonly action: string
  /** And what the other one says. */
  readonly refusal?: string
  /** Nothing is lost by it. */
  readonly isHarmless?: boolean
  readonly isOpen: boolean
  /** What is done, and how far it has come. Whoever asks again later doesn't see what failed before. */
  readonly deed: { readonly isPending: boolean; readonly error: Error | null; readonly reset: () => void }
  readonly onYes: () => void
  readonly onClose: () => void
}) {
  const leave = () => {
    // What has begun is not called off by looking away, and what it brings would be missed.
    if (deed.isPending) return
    deed.reset()
    onClose()
  }
  return (
    <Modal opened={isOpen} onClose={leave} title={title} closeButtonProps={{ 'aria-label': t('common.close') }}>
      <div className="fields">
        <div className="ask-first-words">{children}</div>
        <ProblemNote error={deed.error} />
        <div className="page-actions">
          <Button {...(isHarmless ? {} : { color: 'red', variant: 'light' })} loading={deed.isPending} onClick={onYes}>
            {action}
          </Button>
          <Button variant="default" disabled={deed.isPending} onClick={leave} data-autofocus>
            {refusal}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
