import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useAnySent } from '../api/messages.ts'
import { useWebhooks } from '../api/webhooks.ts'
import { newConversationPath } from '../conversations/conversation-path.ts'
import { useSignedIn } from '../session-context.ts'
import { Icon } from '../ui/icon.tsx'
import { Panel } from '../ui/page.tsx'
import './checklist.css'

/** The way from an empty gateway to one that works: each step ticks itself, and when all are done it is gone. */
export function Checklist() {
  const { hasVirtualPhone } = useSignedIn()
  const devices = useDevices()
  const anySent = useAnySent()
  const webhooks = useWebhooks()
  if (devices.data === undefined || anySent.data === undefined || webhooks.data === undefined) return null
  const sims = devices.data.filter(({ online }) => online).flatMap(({ simCards }) => simCards)
  const steps: readonly Step[] = [
    {
      name: 'A modem is found',
      isDone: sims.length > 0,
      how: 'Plug one in and it appears here, or pair a device that has one.',
      action: (
        <Button component={Link} href="/devices" size="xs" variant="default">
          Devices
        </Button>
      ),
    },
    {
      name: 'Its SIM is ready',
      isDone: sims.some(({ state }) => state === 'ready'),
      how: 'It needs a PIN (SIM_1_PIN) or is still looking for a network; its page tells which.',
      action: (
        <Button component={Link} href="/devices" size="xs" variant="default">
          Look
        </Button>
      ),
    },
    {
      name: 'The first message is sent',
      isDone: anySent.data,
      how: hasVirtualPhone
        ? 'Any number will do: the modem is a virtual one, and the phone beside this page answers.'
        : 'To your own phone, for example. Answer it and see what comes back.',
      action: (
        <Button component={Link} href={newConversationPath} size="xs">
          Write it
        </Button>
      ),
    },
    {
      name: 'A webhook is registered',
      isDone: webhooks.data.length > 0,
      how: 'So that a program of yours hears of each message that comes in.',
      action: (
        <Button component={Link} href="/webhooks" size="xs" variant="default">
          Register one
        </Button>
      ),
    },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  return (
    <Panel title="First steps" about={`${done} of ${steps.length} done. Each ticks itself.`}>
      <ol className="checklist">
        {steps.map((step) => (
          <ListedStep key={step.name} step={step} isNext={step === steps.find(({ isDone }) => !isDone)} />
        ))}
      </ol>
    </Panel>
  )
}

interface Step {
  readonly name: string
  readonly isDone: boolean
  readonly how: string
  readonly action: ReactNode
}

function ListedStep({
  step: { name, isDone, how, action },
  isNext,
}: {
  readonly step: Step
  readonly isNext: boolean
}) {
  return (
    <li data-done={isDone} data-next={isNext}>
      <span className="checklist-tick">
        {isDone && <Icon name="tick" size={14} />}
        <span className="unseen">{isDone ? 'Done:' : 'To do:'}</span>
      </span>
      <div>
        <b>{name}</b>
        {!isDone && <p className="small quiet">{how}</p>}
      </div>
      {!isDone && action}
    </li>
  )
}
