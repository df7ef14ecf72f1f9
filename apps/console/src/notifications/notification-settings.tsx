import { Button, Switch } from '@mantine/core'
import type { PushTestResult } from '@smsgw/contract/live/push'
import { type PushEvent, pushEvents } from '@smsgw/contract/live/push-event'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { ask } from '../api/request/ask.ts'
import { useSignedIn } from '../session-context.ts'
import { Panel } from '../ui/page.tsx'
import { NoteBox, ProblemNote } from '../ui/problem-note.tsx'
import { showToast } from '../ui/toasts.tsx'
import { locale, t } from '../words/text.ts'
import { notificationState, registerWorker, turnOff, turnOn } from './browser-push.ts'
import { type NotificationChoice, useNotificationChoice } from './notification-choice.ts'
import '../settings/settings-section.css'

/** The notifications of this browser: their requirements, the switch, and the events. */
export function NotificationSettings() {
  const { username } = useSignedIn()
  const [state, setState] = useState(notificationState)
  const choice = useNotificationChoice(username)
  const change = useMutation({ mutationFn: turnOn })
  const stop = useMutation({ mutationFn: turnOff })
  const start = async () => {
    if (state === 'ask') await Notification.requestPermission()
    const next = notificationState()
    setState(next)
    if (next === 'allowed') change.mutate({ username, events: pushEvents, showsText: false })
  }
  const canChange = state === 'ask' || state === 'allowed'
  const isOn = state === 'allowed' && choice !== undefined
  return (
    <Panel title={t('notify.title')} about={t('notify.about')}>
      {!canChange && <NoteBox tone="warn">{t(`notify.state.${state}`)}</NoteBox>}
      {canChange && (
        <Choice
          label={t('notify.on')}
          about={t('notify.onAbout')}
          isChecked={isOn}
          isDisabled={change.isPending || stop.isPending}
          onChange={(isWanted) => {
            if (isWanted) void start()
            else if (choice !== undefined) stop.mutate(choice)
          }}
        />
      )}
      <ProblemNote error={change.error ?? stop.error} />
      {isOn && <Chosen choice={choice} onChange={change.mutate} isPending={change.isPending} />}
    </Panel>
  )
}

function Chosen({
  choice,
  onChange,
  isPending,
}: {
  readonly choice: NotificationChoice
  readonly onChange: (choice: NotificationChoice) => void
  readonly isPending: boolean
}) {
  const { events, showsText, subscriptionId } = choice
  const test = useMutation({ mutationFn: () => sendTest(choice) })
  const isLast = (event: PushEvent) => events.length === 1 && events.includes(event)
  return (
    <>
      {subscriptionId === undefined && (
        <NoteBox tone="quiet">
          <p>{t('notify.tabOnly')}</p>
        </NoteBox>
      )}
      {pushEvents.map((event) => (
        <Choice
          key={event}
          label={t(`notify.event.${event}`)}
          isChecked={events.includes(event)}
          isDisabled={isPending || isLast(event)}
          onChange={(isWanted) => {
            const chosen = pushEvents.filter((one) => (one === event ? isWanted : events.includes(one)))
            onChange({ ...choice, events: chosen })
          }}
        />
      ))}
      {subscriptionId !== undefined && (
        <Choice
          label={t('notify.text')}
          about={t('notify.textAbout')}
          isChecked={showsText}
          isDisabled={isPending}
          onChange={(isWanted) => onChange({ ...choice, showsText: isWanted })}
        />
      )}
      <ProblemNote error={test.error} />
      {test.data?.isAccepted === false && (
        <NoteBox tone="bad">{t('notify.refused', { reason: test.data.error })}</NoteBox>
      )}
      <div className="page-actions settings-actions">
        <Button
          variant="default"
          loading={test.isPending}
          onClick={() =>
            test.mutate(undefined, {
              onSuccess: ({ isAccepted }) => {
                if (isAccepted) void showToast(t('notify.tested'))
              },
            })
          }
        >
          {t('notify.test')}
        </Button>
        {subscriptionId === undefined && (
          <Button variant="default" loading={isPending} onClick={() => onChange(choice)}>
            {t('notify.tryPush')}
          </Button>
        )}
      </div>
    </>
  )
}

function Choice({
  label,
  about,
  isChecked,
  isDisabled,
  onChange,
}: {
  readonly label: string
  readonly about?: ReactNode
  readonly isChecked: boolean
  readonly isDisabled: boolean
  readonly onChange: (isWanted: boolean) => void
}) {
  const id = useId()
  return (
    <div className="setting">
      <label htmlFor={id}>{label}</label>
      {about !== undefined && <p id={`${id}-about`}>{about}</p>}
      <Switch
        id={id}
        {...(about !== undefined && { 'aria-describedby': `${id}-about` })}
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  )
}

async function sendTest({ subscriptionId }: NotificationChoice): Promise<PushTestResult> {
  if (subscriptionId !== undefined)
    return (await ask<PushTestResult>('POST', `/push/subscriptions/${encodeURIComponent(subscriptionId)}/test`)).body
  const content = { kind: 'test', language: locale().language, count: 1, about: '' }
  ;(await registerWorker()).active?.postMessage(content)
  return { isAccepted: true }
}
