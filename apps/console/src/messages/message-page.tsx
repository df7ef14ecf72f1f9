import { Button } from '@mantine/core'
import type { MessageStateAnswer, SentBy } from '@smsgw/contract/messages/message'
import { useState } from 'react'
import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useCancelMessage, useMessage, useTimeline } from '../api/messages.ts'
import { DecideButtons } from '../approvals/decide-buttons.tsx'
import { conversationPath } from '../conversations/conversation-path.ts'
import { BackLink } from '../shell/back-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { destructive } from '../ui/dialogs/destructive.ts'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { MessageMark } from '../ui/message-mark.tsx'
import { Facts, Page, Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { usePathPart } from '../ui/values/path-part.ts'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { fullWords, momentWords, untilWords } from '../ui/values/relative-words.ts'
import { shownNumber } from '../ui/values/shown-number.ts'
import { sentence } from '../words/sentence.ts'
import { t } from '../words/text.ts'
import { Attachments, contentWords } from './attachments.tsx'
import { senderWords } from './senders.ts'
import { TimelineList } from './timeline-list.tsx'
import { type Failure, failureWords, waitingText, waitingTone } from './timeline-words.ts'
import './message-page.css'

/** One message with its state, recipients and timeline. */
export default function MessagePage() {
  const id = usePathPart('/messages') ?? ''
  const message = useMessage(id)
  const timeline = useTimeline(id)
  const recipients = message.data?.recipients ?? []
  return (
    <Page
      title={t('message.title')}
      back={<BackLink list="/messages" />}
      about={<code>{id}</code>}
      actions={message.data && <Actions message={message.data} />}
    >
      <ProblemNote error={message.error} retry={() => void message.refetch()} />
      {message.data && <Summary message={message.data} />}
      <Panel title={t('message.timeline')} about={t('message.timelineAbout')}>
        <ProblemNote error={timeline.error} retry={() => void timeline.refetch()} />
        {(timeline.isPending || message.isPending) && <WaitingLines lines={5} />}
        {timeline.data && !message.isPending && (
          <TimelineList
            entries={timeline.data.entries}
            isToMany={recipients.length > 1}
            failures={new Map(recipients.filter(isFailed).map((one) => [one.phoneNumber, one]))}
          />
        )}
      </Panel>
    </Page>
  )
}

function Summary({ message }: { readonly message: MessageStateAnswer }) {
  const { data: devices } = useDevices()
  const { id, state, recipients, dataMessage, mmsMessage, hashedMessage, simNumber, priority, sentBy } = message
  const { scheduleAt, validUntil, approval } = message
  // The state of a message to one recipient is the state of the recipient, and its timeline shows what it waits for.
  const isToMany = recipients.length > 1
  const failed = recipients.filter(isFailed).length
  return (
    <Panel title={t('message.details')}>
      <p className="message-text">
        <bdi>{contentWords(message) ?? (hashedMessage ? t('message.hashed') : '')}</bdi>
      </p>
      {mmsMessage && <Attachments of={{ ...message, direction: 'out' }} attachments={mmsMessage.attachments} />}
      <Facts
        of={[
          [
            t('common.state'),
            <span key="state" className="message-state">
              <MessageMark state={state} withWord />
              {state !== 'Failed' && failed > 0 && (
                <Badge tone="bad">{t('messages.partlyFailed', { failed, count: recipients.length })}</Badge>
              )}
            </span>,
          ],
          [t('message.accepted'), <RelativeTime key="accepted" at={message.createdAt} />],
          [
            t('common.device'),
            <Link key="device" href={`/devices/${message.deviceId}`}>
              <bdi>{devices?.find(({ id }) => id === message.deviceId)?.name ?? message.deviceId}</bdi>
            </Link>,
          ],
          [t('message.sentBy'), sentBy && <Sender key="sender" sentBy={sentBy} />],
          [t('common.sim'), simNumber === undefined ? t('message.anySim') : String(simNumber)],
          [t('message.port'), dataMessage && String(dataMessage.port)],
          [t('message.priority'), priority === undefined ? undefined : String(priority)],
          [t('message.approval'), approval && approvalWords(approval)],
          [t('message.scheduledFor'), scheduleAt && <Moment at={scheduleAt} />],
          [t('message.validUntil'), validUntil && <Moment at={validUntil} />],
        ]}
      />
      <ul className="message-recipients">
        {recipients.map(({ phoneNumber, state: its, waiting, possibleDuplicate, ...failure }) => (
          <li key={phoneNumber}>
            <Link href={conversationPath(phoneNumber, { at: hashedMessage ? undefined : id })}>
              <bdi>{shownNumber(phoneNumber)}</bdi>
            </Link>
            {isToMany && <MessageMark state={its} withWord />}
            {possibleDuplicate && <p className="is-warn">{t('message.duplicate')}</p>}
            {isToMany && waiting !== undefined && (
              <p className={`is-${waitingTone(waiting.reason)}`}>{sentence(waitingText(waiting))}</p>
            )}
            {isFailed({ state: its }) && <FailureLine failure={failure} />}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function isFailed({ state }: Pick<MessageStateAnswer, 'state'>): boolean {
  return state === 'Failed'
}

/** Why the message failed and what to do. The timeline shows the code of the network. */
function FailureLine({ failure }: { readonly failure: Failure }) {
  const words = failureWords(failure)
  if (words === undefined) return null
  return (
    <p className="is-bad" dir="auto">
      {words.text}
      {words.original !== undefined && (
        <>
          {' '}
          <bdi lang="en">{words.original}</bdi>
        </>
      )}
      {words.advice !== undefined && <span className="message-advice"> {words.advice}</span>}
    </p>
  )
}

/** Shows day and hour, because a relative time more than a week away has no hour. */
function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={fullWords(at)}>
      {momentWords(at)}
    </time>
  )
}

/** Links to the other messages of the same API key. */
function Sender({ sentBy }: { readonly sentBy: SentBy }) {
  const sender = <bdi>{senderWords(sentBy)}</bdi>
  return sentBy.keyId === undefined ? sender : <Link href={`/messages?sentBy=${sentBy.keyId}`}>{sender}</Link>
}

function approvalWords({ state, until, decidedBy }: NonNullable<MessageStateAnswer['approval']>): string {
  if (state === 'pending') return t('approvalState.pending', { when: untilWords(until) })
  if (state === 'expired' || decidedBy === undefined) return t(`approvalState.${state}`)
  return t(`approvalState.by.${state}`, { name: decidedBy })
}

function Actions({ message }: { readonly message: MessageStateAnswer }) {
  return (
    <>
      {message.approval?.state === 'pending' && (
        <DecideButtons id={message.id} about={shownNumber(message.recipients[0]?.phoneNumber ?? '')} />
      )}
      <Cancel message={message} />
    </>
  )
}

function Cancel({ message: { id, state } }: { readonly message: MessageStateAnswer }) {
  const cancel = useCancelMessage(id)
  const [isAsking, setAsking] = useState(false)
  if (state !== 'Pending' && state !== 'Processed') return null
  return (
    <>
      <Button {...destructive} onClick={() => setAsking(true)}>
        {t('message.cancel')}
      </Button>
      <AskFirst
        title={t('message.cancelTitle')}
        action={t('message.cancel')}
        refusal={t('message.keep')}
        isOpen={isAsking}
        deed={cancel}
        onYes={() => cancel.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        {t(state === 'Processed' ? 'message.cancelPartsHelp' : 'message.cancelHelp')}
      </AskFirst>
    </>
  )
}
