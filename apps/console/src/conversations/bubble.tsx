import type { ConversationEntry } from '@smsgw/contract/inbox/conversation'
import { memo } from 'react'
import { Link } from 'wouter'
import { Attachments } from '../messages/attachments.tsx'
import { waitingText, waitingTone } from '../messages/timeline-words.ts'
import { useOrigin } from '../shell/back-link.tsx'
import { Icon } from '../ui/icon.tsx'
import { MessageMark } from '../ui/message-mark.tsx'
import { fullWords, momentWords, shortClockWords } from '../ui/values/relative-words.ts'
import { sentence } from '../words/sentence.ts'
import { t } from '../words/text.ts'
import { FailedMessage } from './failed-message.tsx'
import { MessageText } from './message-text.tsx'
import './bubble.css'

/** One message of a thread. */
export const Bubble = memo(function Bubble({
  item,
  number,
  isGrouped,
  marked,
  isMatch = false,
}: {
  readonly item: ConversationEntry
  readonly number: string
  readonly isGrouped: boolean
  /** The search text, which is highlighted in the text. */
  readonly marked?: string | undefined
  /** True if a search found this message. */
  readonly isMatch?: boolean
}) {
  const isOut = item.direction === 'out'
  // The time of creation beside the planned time would look like a part of it.
  const plannedAt = plannedTime(item)
  return (
    <article
      className={`bubble is-${item.direction}${isGrouped ? ' is-grouped' : ''}`}
      aria-label={isOut ? t('thread.you') : number}
      data-state={isOut ? item.state : undefined}
      data-match={isMatch || undefined}
    >
      <div className="bubble-body">
        <Said item={item} marked={marked} />
      </div>
      <footer>
        {plannedAt === undefined && (
          <time dateTime={item.at} title={fullWords(item.at)}>
            {shortClockWords(item.at)}
          </time>
        )}
        {item.simNumber !== undefined && <span>{t('common.simNumber', { number: item.simNumber })}</span>}
        {isOut && <Outcome item={item} />}
      </footer>
      {isOut && item.state === 'Failed' && <FailedMessage item={item} number={number} />}
      {isOut && item.state !== 'Failed' && <Waits item={item} />}
    </article>
  )
})

function Said({ item, marked }: { readonly item: ConversationEntry; readonly marked: string | undefined }) {
  if (item.isEncrypted)
    return <p className="bubble-kind">{t(item.direction === 'in' ? 'thread.encryptedReceived' : 'thread.encrypted')}</p>
  if (item.direction === 'in' ? item.type.startsWith('MMS') : item.attachments)
    return <Mms item={item} marked={marked} />
  if (item.text !== undefined) return <MessageText text={item.text} marked={marked} />
  if (item.data !== undefined)
    return (
      <p className="mono">
        {item.data}
        {item.port !== undefined && <span className="bubble-kind">{t('thread.dataForPort', { port: item.port })}</span>}
      </p>
    )
  return <p className="bubble-kind">{t('thread.noText')}</p>
}

/** Shows an MMS. A modem receives only the notice of an MMS. Phones also download the content. */
function Mms({ item, marked }: { readonly item: ConversationEntry; readonly marked: string | undefined }) {
  const isNotice = item.direction === 'in' && item.type !== 'MMS_DOWNLOADED'
  return (
    <>
      <p className="bubble-kind">{t(isNotice ? 'thread.mmsNotice' : 'thread.mms')}</p>
      {item.subject !== undefined && <p dir="auto">{item.subject}</p>}
      {item.text !== undefined && item.text !== '' && <MessageText text={item.text} marked={marked} />}
      <Attachments of={item} attachments={item.attachments} />
    </>
  )
}

function Outcome({ item }: { readonly item: Extract<ConversationEntry, { direction: 'out' }> }) {
  const plannedAt = plannedTime(item)
  const origin = useOrigin()
  return (
    <>
      {(item.partsCount ?? 1) > 1 && <span>{t('thread.parts', { count: item.partsCount ?? 1 })}</span>}
      {item.possibleDuplicate && <span>{t('thread.duplicate')}</span>}
      {item.recipientsCount > 1 && <span>{t('thread.recipients', { count: item.recipientsCount })}</span>}
      <Link href={`/messages/${encodeURIComponent(item.id)}`} state={origin} title={t('thread.showTimeline')}>
        {plannedAt === undefined ? (
          <MessageMark state={item.state} withWord />
        ) : (
          <span className="bubble-scheduled">
            <Icon name="clock" size={15} />
            <time dateTime={plannedAt}>{t('composer.scheduledFor', { when: momentWords(plannedAt) })}</time>
          </span>
        )}
      </Link>
    </>
  )
}

/** Returns the planned time of a scheduled message that is not due yet. */
function plannedTime(item: ConversationEntry): string | undefined {
  if (item.direction === 'in' || item.state !== 'Pending' || item.scheduleAt === undefined) return undefined
  return Date.parse(item.scheduleAt) > Date.now() ? item.scheduleAt : undefined
}

/** Shows why the message waits, but not a schedule, which the footer already shows. */
function Waits({ item: { waiting, error } }: { readonly item: Extract<ConversationEntry, { direction: 'out' }> }) {
  const words = waiting === undefined ? error : waitingText(waiting)
  if (words === undefined || waiting?.reason === 'scheduled') return null
  return (
    <p className={`bubble-wait is-${waitingTone(waiting?.reason)}`} dir="auto">
      {sentence(words)}
    </p>
  )
}
