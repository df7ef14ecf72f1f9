import { Button } from '@mantine/core'
import type { WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import { CopyField } from '../ui/copy-field.tsx'
import { NoteBox } from '../ui/problem-note.tsx'
import { rich, t } from '../words/text.ts'

/** Shows a new secret. The API returns it only once. */
export function ShownSecret({
  secret,
  format,
  onDone,
}: {
  readonly secret: string | undefined
  readonly format: WebhookAnswer['format']
  readonly onDone: () => void
}) {
  return (
    <div className="fields">
      {secret === undefined ? (
        <p>{t('webhooks.replaced')}</p>
      ) : (
        <>
          <NoteBox tone="warn">{t('webhooks.secretOnce')}</NoteBox>
          <CopyField name={t('webhooks.secret')} value={secret} />
          <p className="small quiet">
            {rich(format === 'twilio' ? 'webhooks.secretHelpTwilio' : 'webhooks.secretHelp')}
          </p>
        </>
      )}
      <div className="page-actions">
        <Button onClick={onDone} data-autofocus>
          {t('common.done')}
        </Button>
      </div>
    </div>
  )
}
