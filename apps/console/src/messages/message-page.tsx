import { Button } from '@mantine/core'
import type { MessageStateAnswer } from '@smsgw/contract/message'
import { useState } from 'react'
import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useCancelMessage, useMessage, useTimeline } from '../api/messages.ts'
import { conversationPath } from '../conversations/conversation-path.ts'
import { AskFirst } from '../ui/ask-first.tsx'
import { MessageMark } from '../ui/message-mark.tsx'
import { Facts, Page, Panel } from '../ui/page.tsx'
import { usePathPart } from '../ui/path-part.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { TimelineList } from './timeline-list.tsx'
import { inLocalTime } from './timeline-words.ts'
import './message-page.css'

/** What became of one message, step by step. */
export default function MessagePage() {
  const id = usePathPart('/messages') ?? ''
  const message = useMessage(id)
  const timeline = useTimeline(id)
  return (
    <Page title="Message" about={<code>{id}</code>} actions={message.data && <Cancel message={message.data} />}>
      <ProblemNote error={message.error} retry={() => void message.refetch()} />
      {message.data && <Summary message={message.data} />}
      <Panel title="Timeline" about="Each step with the time it took since the one before.">
        <ProblemNote error={timeline.error} retry={() => void timeline.refetch()} />
        {timeline.isPending && <WaitingLines lines={5} />}
        {timeline.data && (
          <TimelineList entries={timeline.data.entries} isToMany={(message.data?.recipients.length ?? 1) > 1} />
        )}
      </Panel>
    </Page>
  )
}

function Summary({ message }: { readonly message: MessageStateAnswer }) {
  const { data: devices } = useDevices()
  const { state, recipients, textMessage, dataMessage, hashedMessage, simNumber, priority, scheduleAt, validUntil } =
    message
  return (
    <Panel title="What was asked">
      <p className="message-text" dir="auto">
        {textMessage?.text ??
          dataMessage?.data ??
          (hashedMessage ? 'Its text is no longer kept, only a hash of it.' : '')}
      </p>
      <Facts
        of={[
          ['State', <MessageMark key="state" state={state} withWord />],
          ['Accepted', <RelativeTime key="accepted" at={message.createdAt} />],
          [
            'Device',
            <Link key="device" href={`/devices/${message.deviceId}`}>
              {devices?.find(({ id }) => id === message.deviceId)?.name ?? message.deviceId}
            </Link>,
          ],
          ['SIM', simNumber === undefined ? 'any' : String(simNumber)],
          ['Port', dataMessage && String(dataMessage.port)],
          ['Priority', priority === undefined ? undefined : String(priority)],
          ['Not before', scheduleAt && <RelativeTime at={scheduleAt} />],
          ['Not after', validUntil && <RelativeTime at={validUntil} />],
        ]}
      />
      <ul className="message-recipients">
        {recipients.map(({ phoneNumber, state: its, error, waiting, possibleDuplicate }) => (
          <li key={phoneNumber}>
            <Link href={conversationPath(phoneNumber)}>{phoneNumber}</Link>
            <MessageMark state={its} withWord />
            {possibleDuplicate && (
              <p className="is-warn">Sent again after an unknown outcome: may have arrived twice</p>
            )}
            {waiting !== undefined && <p className="is-warn">{inLocalTime(waiting.message)}</p>}
            {error !== undefined && waiting?.reason !== 'outcome_unknown' && (
              <p className={its === 'Failed' ? 'is-bad' : 'is-warn'}>{error}</p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Cancel({ message: { id, state } }: { readonly message: MessageStateAnswer }) {
  const cancel = useCancelMessage(id)
  const [isAsking, setAsking] = useState(false)
  if (state !== 'Pending' && state !== 'Processed') return null
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Cancel it
      </Button>
      <AskFirst
        title="Cancel this message?"
        action="Cancel the message"
        isOpen={isAsking}
        deed={cancel}
        onYes={() => cancel.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        What the modem has already handed to the network goes out all the same.
      </AskFirst>
    </>
  )
}
