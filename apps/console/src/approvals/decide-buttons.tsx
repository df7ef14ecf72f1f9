import { Button } from '@mantine/core'
import { useDecision } from '../api/approvals.ts'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { t } from '../words/text.ts'

/**
 * Approves or refuses a message. `about` is the recipient's phone number. It is part of the name of each button, so
 * that the buttons of a list have different names.
 */
export function DecideButtons({ id, about }: { readonly id: string; readonly about: string }) {
  const decision = useDecision(id)
  // Disables the buttons after a decision until the message disappears from the list, so that they do not accept
  // another decision.
  const isDone = decision.isPending || decision.isSuccess
  const chosen = decision.variables
  return (
    <>
      <Button
        leftSection={<Icon name="tick" size={16} />}
        aria-label={t('approvals.approveTo', { number: about })}
        disabled={isDone && chosen !== 'approve'}
        loading={isDone && chosen === 'approve'}
        onClick={() => decision.mutate('approve')}
      >
        {t('approvals.approve')}
      </Button>
      <Button
        variant="default"
        aria-label={t('approvals.refuseTo', { number: about })}
        disabled={isDone && chosen !== 'refuse'}
        loading={isDone && chosen === 'refuse'}
        onClick={() => decision.mutate('refuse')}
      >
        {t('approvals.refuse')}
      </Button>
      <ProblemNote error={decision.error} />
    </>
  )
}
