import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import type { WebhookAnswer } from '@smsgw/contract/webhook'
import type { WebhookEvent } from '@smsgw/contract/webhook-event'
import { useState } from 'react'
import { ApiFailure } from '../api/ask.ts'
import { useDevices } from '../api/devices.ts'
import { useRegisterWebhook } from '../api/webhooks.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { t } from '../words/text.ts'
import { ShownSecret } from './shown-secret.tsx'

/** The events that a webhook can be registered for. */
const events = [
  'sms:received',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:cancelled',
  'sms:data-received',
  'mms:received',
  'system:ping',
  'app:started',
  'sms:batch:received',
  'sms:batch:data-received',
  'mms:batch:received',
] as const satisfies readonly WebhookEvent[]

/** Asks for the URL and the event, then shows the secret once. */
export function RegisterWebhook({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [made, setMade] = useState<WebhookAnswer>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made === undefined ? t('webhooks.add') : t('webhooks.added')}
      size="lg"
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {made === undefined ? <RegisterForm onMade={setMade} /> : <ShownSecret secret={made.secret} onDone={close} />}
    </Modal>
  )
}

function RegisterForm({ onMade }: { readonly onMade: (webhook: WebhookAnswer) => void }) {
  const register = useRegisterWebhook()
  const { data: devices = [] } = useDevices()
  const [url, setUrl] = useState('')
  const [event, setEvent] = useState<WebhookEvent>('sms:received')
  const [deviceId, setDeviceId] = useState('')
  const wrongUrl = register.error instanceof ApiFailure ? register.error.about('url') : undefined
  return (
    <form
      className="fields"
      onSubmit={(submit) => {
        submit.preventDefault()
        register.mutate({ url, event, ...(deviceId !== '' && { deviceId }) }, { onSuccess: onMade })
      }}
    >
      <TextInput
        dir="ltr"
        label={t('webhooks.url')}
        description={t('webhooks.urlHelp')}
        placeholder="https://example.com/sms"
        type="url"
        required
        withAsterisk={false}
        data-autofocus
        error={wrongUrl}
        value={url}
        onChange={(change) => setUrl(change.currentTarget.value)}
      />
      <NativeSelect
        label={t('webhooks.event')}
        description={t('webhooks.eventHelp')}
        data={events.map((value) => ({ value, label: `${value}: ${t(`event.${value}`)}` }))}
        value={event}
        onChange={(change) => setEvent(change.currentTarget.value as WebhookEvent)}
      />
      {devices.length > 1 && (
        <NativeSelect
          label={t('common.device')}
          data={[{ value: '', label: t('common.all') }, ...devices.map(({ id, name }) => ({ value: id, label: name }))]}
          value={deviceId}
          onChange={(change) => setDeviceId(change.currentTarget.value)}
        />
      )}
      {wrongUrl === undefined && <ProblemNote error={register.error} />}
      <div className="page-actions">
        <Button type="submit" loading={register.isPending}>
          {t('webhooks.add')}
        </Button>
      </div>
    </form>
  )
}
