import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { ProblemNote } from './problem-note.tsx'

/** Something that cannot be undone is asked about first. */
export function AskFirst({
  title,
  children,
  action,
  isOpen,
  isBusy,
  error,
  onYes,
  onClose,
}: {
  readonly title: string
  readonly children: ReactNode
  /** What the button says: a verb. */
  readonly action: string
  readonly isOpen: boolean
  readonly isBusy: boolean
  readonly error: Error | null
  readonly onYes: () => void
  readonly onClose: () => void
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <div className="fields">
        <div>{children}</div>
        <ProblemNote error={error} />
        <div className="page-actions">
          <Button color="red" variant="light" loading={isBusy} onClick={onYes}>
            {action}
          </Button>
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
        </div>
      </div>
    </Modal>
  )
}
