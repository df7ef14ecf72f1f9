import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useRegisterWebhook, useWebhooks } from '../api/webhooks.ts'
import { Badge } from '../ui/badge.tsx'
import { CreateDialog } from '../ui/dialogs/create-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { optionalText, t } from '../words/text.ts'
import { isFailingNow } from './health-bars.ts'
import { HealthStrip, useHealthBars } from './health-strip.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'
import './webhooks.css'

export default function Webhooks() {
  const webhooks = useWebhooks()
  const [isRegistering, register] = useDisclosure(false)
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={register.open}>
      {t('webhooks.add')}
    </Button>
  )
  return (
    <Page
      title={t('webhooks.title')}
      about={t('webhooks.about')}
      actions={webhooks.data && webhooks.data.length > 0 ? add : undefined}
    >
      <ProblemNote error={webhooks.error} retry={() => void webhooks.refetch()} />
      {webhooks.isPending && <WaitingLines />}
      {webhooks.data?.length === 0 && (
        <EmptyState icon="webhooks" title={t('webhooks.none')} action={add}>
          {t('webhooks.noneHelp')}
        </EmptyState>
      )}
      {webhooks.data && webhooks.data.length > 0 && (
        <Panel title={t('webhooks.registered')} about={t('webhooks.bars')}>
          <ul className="webhook-list">
            {webhooks.data.map((webhook) => (
              <ListedWebhook key={webhook.id} webhook={webhook} />
            ))}
          </ul>
        </Panel>
      )}
      <RegisterWebhook isOpen={isRegistering} onClose={register.close} />
    </Page>
  )
}

function ListedWebhook({ webhook }: { readonly webhook: WebhookAnswer }) {
  const { id, url, name, events, deviceId, format } = webhook
  const { data: devices } = useDevices()
  const device = deviceId === null ? undefined : (devices?.find((one) => one.id === deviceId)?.name ?? deviceId)
  return (
    <li>
      <div>
        <Link href={`/webhooks/${encodeURIComponent(id)}`}>
          {name === undefined ? <bdi dir="ltr">{url}</bdi> : <bdi>{name}</bdi>}
        </Link>
        <p className="small quiet">
          <Dotted>
            {name !== undefined && <bdi dir="ltr">{url}</bdi>}
            <code dir="ltr">{events.join(', ')}</code>
            {device !== undefined && <bdi>{device}</bdi>}
            {format !== undefined && (optionalText(`webhooks.format.${format}`) ?? format)}
          </Dotted>
        </p>
      </div>
      <HealthStrip webhookId={id} />
      <WebhookState webhook={webhook} />
    </li>
  )
}

/** Whether the webhook receives events, and whether its latest deliveries succeed. */
export function WebhookState({ webhook: { id, disabledAt, pausedAt } }: { readonly webhook: WebhookAnswer }) {
  const isFailing = isFailingNow(useHealthBars(id))
  if (disabledAt !== undefined) return <Badge tone="bad">{t('webhooks.disabled')}</Badge>
  if (pausedAt !== undefined) return <Badge tone="warn">{t('webhooks.paused')}</Badge>
  if (isFailing) return <Badge tone="bad">{t('webhooks.failing')}</Badge>
  return <Badge tone="good">{t('webhooks.active')}</Badge>
}

/** Asks for the URL and the event, then shows the secret once. */
function RegisterWebhook({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <CreateDialog<WebhookAnswer>
      isOpen={isOpen}
      onClose={onClose}
      title={(made) => (made === undefined ? t('webhooks.add') : t('webhooks.added'))}
      form={(onMade) => <NewWebhook onMade={onMade} />}
      result={({ secret, format }) => <ShownSecret secret={secret} format={format} />}
    />
  )
}

function NewWebhook({ onMade }: { readonly onMade: (webhook: WebhookAnswer) => void }) {
  const register = useRegisterWebhook()
  return (
    <WebhookForm
      action={t('webhooks.add')}
      save={{
        ...register,
        mutate: ({ deviceId, format, ...fields }, after) =>
          register.mutate(
            { ...fields, ...(format === 'twilio' && { format }), ...(deviceId !== '' && { deviceId }) },
            after,
          ),
      }}
      onSaved={onMade}
    />
  )
}
