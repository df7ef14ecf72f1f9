import { Button, Modal } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../../words/text.ts'

/**
 * A dialog that creates something with a secret: first a form, then the result, which the API returns only once. So the
 * result closes only with a button.
 */
export function CreateDialog<Made>({
  isOpen,
  onClose,
  title,
  form,
  result,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The title; `made` is undefined while the form is shown. */
  readonly title: (made: Made | undefined) => string
  readonly form: (onMade: (made: Made) => void) => ReactNode
  readonly result: (made: Made) => ReactNode
}) {
  const [made, setMade] = useState<Made>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size="lg"
      title={title(made)}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? form(setMade) : <ShownOnce onDone={close}>{result(made)}</ShownOnce>}
    </Modal>
  )
}

/** Secrets that are shown only once. */
export function ShownOnce({ onDone, children }: { readonly onDone: () => void; readonly children: ReactNode }) {
  return (
    // Scrolls to the top, because the form that was shown before may have been scrolled.
    <div className="fields shown-once" ref={(element) => element?.scrollIntoView({ block: 'start' })}>
      {children}
      <div className="page-actions">
        <Button onClick={onDone} data-autofocus>
          {t('common.done')}
        </Button>
      </div>
    </div>
  )
}
