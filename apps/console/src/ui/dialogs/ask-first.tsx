import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../words/text.ts'
import { ProblemNote } from '../problem-note.tsx'
import { destructive } from './destructive.ts'
import './ask-first.css'

/** Asks for confirmation of an action. */
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
  /** Text of the button that confirms. */
  readonly action: string
  /** Text of the button that cancels. */
  readonly refusal?: string
  /** True if the action deletes nothing. */
  readonly isHarmless?: boolean
  readonly isOpen: boolean
  /** The mutation that runs the action. It is reset on close, so that an old error is not shown again. */
  readonly deed: { readonly isPending: boolean; readonly error: Error | null; readonly reset: () => void }
  readonly onYes: () => void
  readonly onClose: () => void
}) {
  const leave = () => {
    // Keeps the dialog open while the action runs, because closing it would not stop the action, but would hide its
    // result.
    if (deed.isPending) return
    deed.reset()
    onClose()
  }
  return (
    <Modal opened={isOpen} onClose={leave} title={title}>
      <div className="fields">
        <div className="ask-first-words">{children}</div>
        <ProblemNote error={deed.error} />
        <div className="page-actions">
          <Button {...(isHarmless ? {} : destructive)} loading={deed.isPending} onClick={onYes}>
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
