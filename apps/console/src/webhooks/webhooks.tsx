import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { WebhookAnswer } from '@smsgw/contract/webhook'
import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useWebhooks } from '../api/webhooks.ts'
import { Badge } from '../ui/badge.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { HealthStrip } from './health-strip.tsx'
import { RegisterWebhook } from './register-webhook.tsx'
import './webhooks.css'

export default function Webhooks() {
  const webhooks = useWebhooks()
  const [isRegistering, register] = useDisclosure(false)
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={register.open}>
      Register
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      about="Addresses of yours that hear of each event, signed, and again and again until they take it."
      actions={webhooks.data && webhooks.data.length > 0 ? add : undefined}
    >
      <ProblemNote error={webhooks.error} retry={() => void webhooks.refetch()} />
      {webhooks.isPending && <WaitingLines />}
      {webhooks.data?.length === 0 && (
        <EmptyState icon="webhooks" title="Nobody is told yet" action={add}>
          Register the address of a program of yours, and it gets a signed request for every message that comes in, is
          sent, delivered, or fails.
        </EmptyState>
      )}
      {webhooks.data && webhooks.data.length > 0 && (
        <Panel
          title="Registered"
          about="The bars are the latest deliveries of each: taller ones took longer, red ones failed."
        >
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

function ListedWebhook({ webhook: { id, url, event, deviceId, disabledAt } }: { readonly webhook: WebhookAnswer }) {
  const { data: devices } = useDevices()
  const device = deviceId === null ? undefined : (devices?.find((one) => one.id === deviceId)?.name ?? deviceId)
  return (
    <li>
      <div>
        <Link href={`/webhooks/${encodeURIComponent(id)}`}>{url}</Link>
        <p className="small quiet">
          <code>{event}</code>
          {device !== undefined && ` of ${device}`}
        </p>
      </div>
      <HealthStrip webhookId={id} />
      {disabledAt === undefined ? <Badge tone="good">active</Badge> : <Badge tone="bad">disabled</Badge>}
    </li>
  )
}
