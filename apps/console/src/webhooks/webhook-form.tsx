import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { areTwilioEvents } from '@smsgw/contract/webhooks/twilio-events'
import type { WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import type { WebhookEventName } from '@smsgw/contract/webhooks/webhook-event'
import { useState } from 'react'
import { useDevices } from '../api/devices.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { sentence } from '../words/sentence.ts'
import { directionOf, optionalText, t } from '../words/text.ts'

/** The events that a webhook can be registered for. */
const events = [
  'sms:received',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:cancelled',
  'sms:data-received',
  'mms:received',
  'call:received',
  'system:ping',
  'app:started',
  'sms:batch:received',
  'sms:batch:data-received',
  'mms:batch:received',
] as const satisfies readonly WebhookEventName[]

export interface WebhookFields {
  readonly url: string
  readonly name: string
  readonly events: readonly WebhookEventName[]
  readonly deviceId: string
  readonly format: WebhookFormat
}

type WebhookFormat = 'smsgw' | 'twilio'

/** The fields of a webhook, empty or with the values of `webhook`. */
export function WebhookForm({
  webhook,
  action,
  save,
  onSaved,
}: {
  readonly webhook?: WebhookAnswer
  /** Label of the button. */
  readonly action: string
  readonly save: {
    readonly isPending: boolean
    readonly error: Error | null
    readonly mutate: (fields: WebhookFields, after: { readonly onSuccess: (saved: WebhookAnswer) => void }) => void
  }
  readonly onSaved: (webhook: WebhookAnswer) => void
}) {
  const { data: devices = [] } = useDevices()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [name, setName] = useState(webhook?.name ?? '')
  const [chosen, setChosen] = useState<readonly WebhookEventName[]>(webhook?.events ?? ['sms:received'])
  const [deviceId, setDeviceId] = useState(webhook?.deviceId ?? '')
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format === undefined ? 'smsgw' : 'twilio')
  const problems = useFieldProblems(save.error, ['url', 'name'])
  // Also offers registered events that this page does not know, so that they stay registered.
  const offered = [...events, ...chosen.filter((one) => !(events as readonly string[]).includes(one))].filter((one) =>
    isReported(one, format),
  )
  const sent = chosen.filter((one) => isReported(one, format))
  return (
    <form
      ref={problems.form}
      className="fields"
      // Switches off the checks of the browser, because the API describes problems of the fields in the language of the
      // console.
      noValidate
      onSubmit={(submit) => {
        submit.preventDefault()
        save.mutate({ url, name, events: sent, deviceId, format }, { onSuccess: onSaved })
      }}
    >
      <TextInput
        dir="ltr"
        label={t('webhooks.url')}
        description={t('webhooks.urlHelp')}
        placeholder="https://example.com/sms"
        type="url"
        data-autofocus
        error={problems.of('url')}
        value={url}
        onChange={(change) => setUrl(change.currentTarget.value)}
      />
      <TextInput
        dir={directionOf(name)}
        label={t('webhooks.name')}
        description={t('webhooks.nameHelp')}
        maxLength={100}
        error={problems.of('name')}
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
      {webhook === undefined && (
        <NativeSelect
          label={t('webhooks.format')}
          description={t(`webhooks.formatHelp.${format}`)}
          data={formats.map((value) => ({ value, label: t(`webhooks.format.${value}`) }))}
          value={format}
          onChange={(change) => setFormat(change.currentTarget.value === 'twilio' ? 'twilio' : 'smsgw')}
        />
      )}
      <fieldset className="choices">
        <legend>{t('webhooks.events')}</legend>
        {offered.map((event) => (
          <Checkbox
            key={event}
            label={eventLabel(event)}
            description={<code dir="ltr">{event}</code>}
            checked={chosen.includes(event)}
            onChange={(change) =>
              setChosen(change.currentTarget.checked ? [...chosen, event] : chosen.filter((one) => one !== event))
            }
          />
        ))}
      </fieldset>
      {(devices.length > 1 || deviceId !== '') && (
        <NativeSelect
          label={t('common.device')}
          data={[{ value: '', label: t('common.all') }, ...devices.map(({ id, name }) => ({ value: id, label: name }))]}
          value={deviceId}
          onChange={(change) => setDeviceId(change.currentTarget.value)}
        />
      )}
      <ProblemNote error={problems.rest} />
      <div className="page-actions">
        <Button type="submit" disabled={sent.length === 0} loading={save.isPending}>
          {action}
        </Button>
      </div>
    </form>
  )
}

function eventLabel(event: WebhookEventName): string {
  const words = optionalText(`event.${event}`)
  return words === undefined ? event : sentence(words)
}

const formats: readonly WebhookFormat[] = ['smsgw', 'twilio']

/** Requests in Twilio's format report only some events. */
function isReported(event: WebhookEventName, format: WebhookFormat): boolean {
  return format === 'smsgw' || areTwilioEvents([event])
}
