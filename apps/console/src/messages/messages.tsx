import { Button, NativeSelect } from '@mantine/core'
import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import { messageStates } from '@smsgw/contract/messages/message-states'
import { Link, useSearchParams } from 'wouter'
import { useApiKeys } from '../api/api-keys.ts'
import { useDevices } from '../api/devices.ts'
import { type MessageFilter, useMessages } from '../api/messages.ts'
import { BackLink, useOrigin } from '../shell/back-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { WindowedList } from '../ui/lists/windowed-list.tsx'
import { MessageMark } from '../ui/message-mark.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { isLocalMinute, localMinute } from '../ui/time-fields/local-time.ts'
import { PeriodFields } from '../ui/time-fields/time-fields.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { shownNumber } from '../ui/values/shown-number.ts'
import { sentence } from '../words/sentence.ts'
import { t } from '../words/text.ts'
import './messages.css'
import { contentWords } from './attachments.tsx'
import { senders, senderWords } from './senders.ts'
import { failureWords, waitingText, waitingTone } from './timeline-words.ts'

const states = () => [
  { value: '', label: t('common.all') },
  ...messageStates.map((state) => ({ value: state, label: t(`messageState.${state}`) })),
]

/** Outgoing messages with filters. The filters are part of the address. */
export default function Messages() {
  const [parameters, setParameters] = useSearchParams()
  const filter: MessageFilter = Object.fromEntries(
    ['state', 'deviceId', 'sentBy', 'from', 'to'].flatMap((name) => {
      const value = parameters.get(name)
      return value ? [[name, value]] : []
    }),
  )
  // Leaves out a time that is still being typed.
  const applied = Object.fromEntries(
    Object.entries(filter).filter(([name, value]) => (name !== 'from' && name !== 'to') || isInstant(value)),
  )
  const change = (name: keyof MessageFilter, value: string) =>
    setParameters(
      (before) => {
        if (value === '') before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
  const messages = useMessages(applied)
  const found = messages.data?.pages.flatMap(({ body }) => body) ?? []
  return (
    <Page title={t('conversations.outgoing')} back={<BackLink list="/conversations" />} about={t('messages.about')}>
      <Filters filter={filter} onChange={change} />
      <ProblemNote error={messages.error} retry={() => void messages.refetch()} />
      {messages.isPending && <WaitingLines lines={8} />}
      {messages.isSuccess && found.length === 0 && (
        <EmptyState
          icon="search"
          title={Object.keys(applied).length === 0 ? t('messages.none') : t('common.noResults')}
        >
          {Object.keys(applied).length === 0 ? t('messages.noneHelp') : t('common.changeFilter')}
        </EmptyState>
      )}
      {found.length > 0 && (
        <WindowedList
          className="message-list"
          itemHeight={44}
          label={t('messages.list')}
          items={found}
          keyOf={({ id }) => id}
          draw={(message) => ({ children: <ListedMessage message={message} /> })}
          isComplete={!messages.hasNextPage}
        />
      )}
      {messages.hasNextPage && (
        <Button variant="subtle" loading={messages.isFetchingNextPage} onClick={() => void messages.fetchNextPage()}>
          {t('common.loadMore')}
        </Button>
      )}
    </Page>
  )
}

function Filters({
  filter: { state = '', deviceId = '', sentBy = '', from, to },
  onChange,
}: {
  readonly filter: MessageFilter
  readonly onChange: (name: keyof MessageFilter, value: string) => void
}) {
  const { data: devices = [] } = useDevices()
  const { data: keys = [] } = useApiKeys()
  return (
    <div className="fields-row">
      <NativeSelect
        label={t('common.state')}
        data={states()}
        value={state}
        onChange={(event) => onChange('state', event.currentTarget.value)}
      />
      {devices.length > 1 && (
        <NativeSelect
          label={t('common.device')}
          data={[{ value: '', label: t('common.all') }, ...devices.map(({ id, name }) => ({ value: id, label: name }))]}
          value={deviceId}
          onChange={(event) => onChange('deviceId', event.currentTarget.value)}
        />
      )}
      <NativeSelect
        className="message-sender"
        label={t('message.sentBy')}
        data={senders(keys, sentBy)}
        value={sentBy}
        onChange={(event) => onChange('sentBy', event.currentTarget.value)}
      />
      <PeriodFields
        from={minuteOf(from)}
        to={minuteOf(to)}
        onFrom={(value) => onChange('from', instantOf(value))}
        onTo={(value) => onChange('to', instantOf(value))}
      />
    </div>
  )
}

function ListedMessage({ message }: { readonly message: MessageStateAnswer }) {
  const { id, state, recipients, waiting, createdAt, isHashed, sentBy } = message
  const origin = useOrigin()
  const [first] = recipients
  const failed = recipients.filter((recipient) => recipient.state === 'Failed')
  const [failure] = failed
  const wait = waiting === undefined ? undefined : { tone: waitingTone(waiting.reason), text: waitingText(waiting) }
  const note = failure === undefined ? wait : { tone: 'bad', text: failureWords(failure)?.text }
  return (
    <Link href={`/messages/${encodeURIComponent(id)}`} state={origin} className="listed-message">
      <span className="listed-message-state">
        <MessageMark state={state} withWord />
        {state !== 'Failed' && failed.length > 0 && (
          <Badge tone="bad">{t('messages.partlyFailed', { failed: failed.length, count: recipients.length })}</Badge>
        )}
      </span>
      <b>
        <bdi>{shownNumber(first?.phoneNumber ?? '')}</bdi>
        {recipients.length > 1 && (
          <span className="quiet"> {t('messages.moreRecipients', { count: recipients.length - 1 })}</span>
        )}
      </b>
      <span className="listed-message-text quiet" dir="auto">
        {contentWords(message) ?? (isHashed ? t('messages.hashed') : '')}
      </span>
      <span className="listed-message-sender quiet" data-name={t('message.sentBy')}>
        {sentBy !== undefined && <bdi>{senderWords(sentBy)}</bdi>}
      </span>
      <RelativeTime at={createdAt} />
      {note?.text !== undefined && (
        <span className={`listed-message-note is-${note.tone}`} dir="auto">
          {sentence(note.text)}
        </span>
      )}
    </Link>
  )
}

function minuteOf(at: string | undefined): string {
  return at !== undefined && isInstant(at) ? localMinute(new Date(at)) : (at ?? '')
}

function instantOf(minute: string): string {
  return isLocalMinute(minute) ? new Date(minute).toISOString() : minute
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text))
}
