import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useAnySent } from '../api/messages.ts'
import { useWebhooks } from '../api/webhooks.ts'
import { newConversationPath } from '../conversations/conversation-path.ts'
import { useSignedIn } from '../session-context.ts'
import { setupPath } from '../setup/setup-path.ts'
import { Icon } from '../ui/icon.tsx'
import { Panel } from '../ui/page.tsx'
import { t } from '../words/text.ts'
import './checklist.css'

/** Steps to set up a new gateway. It disappears when all steps are done. */
export function Checklist() {
  const { hasVirtualPhone } = useSignedIn()
  const devices = useDevices()
  const anySent = useAnySent()
  const webhooks = useWebhooks()
  if (devices.data === undefined || anySent.data === undefined || webhooks.data === undefined) return null
  const sims = devices.data.filter(({ online }) => online).flatMap(({ simCards }) => simCards)
  const steps: readonly Step[] = [
    {
      title: t('checklist.modem'),
      isDone: sims.length > 0,
      how: t('checklist.modemHelp'),
      action: (
        <Button component={Link} href={setupPath} size="xs">
          {t('setup.title')}
        </Button>
      ),
    },
    {
      title: t('checklist.sim'),
      isDone: sims.some(({ state }) => state === 'ready'),
      how: t('checklist.simHelp'),
      action: (
        <Button component={Link} href={setupPath} size="xs">
          {t('setup.title')}
        </Button>
      ),
    },
    {
      title: t('checklist.message'),
      isDone: anySent.data,
      how: hasVirtualPhone ? t('checklist.messageVirtual') : t('checklist.messageHelp'),
      action: (
        <Button component={Link} href={newConversationPath} size="xs">
          {t('conversations.first')}
        </Button>
      ),
    },
    {
      title: t('checklist.webhook'),
      isDone: webhooks.data.length > 0,
      how: t('checklist.webhookHelp'),
      action: (
        <Button component={Link} href="/webhooks" size="xs" variant="default">
          {t('webhooks.add')}
        </Button>
      ),
    },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  return (
    <Panel title={t('checklist.title')} about={t('checklist.progress', { done, total: steps.length })}>
      <ol className="checklist">
        {steps.map((step) => (
          <ListedStep key={step.title} step={step} isNext={step === steps.find(({ isDone }) => !isDone)} />
        ))}
      </ol>
    </Panel>
  )
}

interface Step {
  readonly title: string
  readonly isDone: boolean
  readonly how: string
  readonly action: ReactNode
}

function ListedStep({
  step: { title, isDone, how, action },
  isNext,
}: {
  readonly step: Step
  readonly isNext: boolean
}) {
  return (
    <li data-done={isDone} data-next={isNext}>
      <span className="checklist-tick">
        {isDone && <Icon name="tick" size={14} />}
        <span className="unseen">{isDone ? t('checklist.done') : t('checklist.toDo')}</span>
      </span>
      <div>
        <b>{title}</b>
        {!isDone && <p className="small quiet">{how}</p>}
      </div>
      {!isDone && action}
    </li>
  )
}
