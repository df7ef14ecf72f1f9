import type { WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import { CopyField } from '../ui/copy-field.tsx'
import { NoteBox } from '../ui/problem-note.tsx'
import { rich, t } from '../words/text.ts'

/** Shows a new secret. The API returns it only once. */
export function ShownSecret({
  secret,
  format,
}: {
  readonly secret: string | undefined
  readonly format: WebhookAnswer['format']
}) {
  if (secret === undefined) return <p>{t('webhooks.replaced')}</p>
  return (
    <>
      <NoteBox tone="warn">{t('webhooks.secretOnce')}</NoteBox>
      <CopyField name={t('webhooks.secret')} value={secret} />
      <p className="small quiet">{rich(format === 'twilio' ? 'webhooks.secretHelpTwilio' : 'webhooks.secretHelp')}</p>
    </>
  )
}
