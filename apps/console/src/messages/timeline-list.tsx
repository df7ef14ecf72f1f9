import type { TimelineEntry } from '@smsgw/contract/messages/timeline'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { WindowedList } from '../ui/lists/windowed-list.tsx'
import { beginsDay, shortDayWords } from '../ui/values/day-words.ts'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { clockWords, fullWords } from '../ui/values/relative-words.ts'
import { attemptErrorWords } from '../webhooks/attempt-error-words.ts'
import { locale, optionalText, t } from '../words/text.ts'
import { adviceWords, isAhead, partWords, shownCode, sinceWords, stepWords, toneOf } from './timeline-words.ts'
import './timeline-list.css'

/** The steps of a message that have happened and, in a separate list, what the message waits for. */
export function TimelineList({
  entries,
  isToMany,
}: {
  readonly entries: readonly TimelineEntry[]
  readonly isToMany: boolean
}) {
  const past = entries.filter((entry) => !isAhead(entry))
  const next = entries.filter(isAhead)
  return (
    <>
      <Steps className="timeline" entries={past} isToMany={isToMany} />
      {next.length > 0 && (
        <section className="timeline-next" aria-label={t('timeline.next')}>
          <h3>{t('timeline.next')}</h3>
          <Steps className="timeline is-next" entries={next} isToMany={isToMany} />
        </section>
      )}
    </>
  )
}

function Steps({
  className,
  entries,
  isToMany,
}: {
  readonly className: string
  readonly entries: readonly TimelineEntry[]
  readonly isToMany: boolean
}) {
  return (
    <WindowedList
      className={className}
      itemHeight={60}
      items={entries}
      keyOf={(_, at) => String(at)}
      draw={(entry, at) => ({
        className: 'timeline-step',
        'data-last': at === entries.length - 1 ? 'true' : undefined,
        'data-tone': toneOf(entry),
        'data-kind': entry.kind,
        children: (
          <>
            <div className="timeline-time">
              {isAhead(entry) ? <TimeAhead until={entry.until} /> : <TimeOf entry={entry} before={entries[at - 1]} />}
            </div>
            <div className="timeline-what">
              <Text entry={entry} />
              <Details entry={entry} isToMany={isToMany} />
              <Advice entry={entry} />
            </div>
          </>
        ),
      })}
    />
  )
}

function TimeOf({
  entry: { at },
  before,
}: {
  readonly entry: TimelineEntry
  readonly before: TimelineEntry | undefined
}) {
  return (
    <>
      {beginsDay(before?.at, at) && <span className="timeline-day">{shortDayWords(at)}</span>}
      <time dateTime={at} title={fullWords(at)}>
        {clockWords(at)}
      </time>
      <span>{sinceWords(before?.at, at)}</span>
    </>
  )
}

/** When a wait ends. */
function TimeAhead({ until }: { readonly until: string | undefined }) {
  if (until === undefined) return null
  return (
    <>
      <span className="timeline-day">
        <RelativeTime at={until} />
      </span>
      <time dateTime={until} title={fullWords(until)}>
        {clockWords(until)}
      </time>
    </>
  )
}

function Text({ entry }: { readonly entry: TimelineEntry }) {
  const { text: words, original } = stepWords(entry)
  return (
    <>
      {words !== '' && <p>{words}</p>}
      {original !== undefined && (
        <p className="timeline-details" lang="en" dir="auto">
          {original}
        </p>
      )}
    </>
  )
}

function Advice({ entry }: { readonly entry: TimelineEntry }) {
  const advice = adviceWords(entry)
  if (advice === undefined) return null
  return (
    <p className="timeline-advice" lang={advice.isEnglish ? 'en' : undefined} dir="auto">
      {advice.text}
    </p>
  )
}

function Details({ entry, isToMany }: { readonly entry: TimelineEntry; readonly isToMany: boolean }) {
  const { recipient, part, webhook, text, simNumber } = entry
  const code = shownCode(entry)
  const isEnglish = locale().language === 'en'
  const details = [
    isToMany ? recipient : undefined,
    part && part.total > 1 && !(isEnglish && text.includes(partWords(part))) ? partWords(part) : undefined,
    isEnglish || simNumber === undefined ? undefined : t('common.simNumber', { number: simNumber }),
    part?.reference === undefined ? undefined : t('timeline.reference', { number: String(part.reference) }),
    // Leaves out these values, because the English text already contains them.
    ...(isEnglish || webhook === undefined
      ? []
      : [
          optionalText(`event.${webhook.event}`) ?? webhook.event,
          webhook.httpStatus === undefined ? undefined : `HTTP ${webhook.httpStatus}`,
          webhook.error && attemptErrorWords(webhook.error, webhook.errorCode, webhook.errorValues),
        ]),
  ].filter((detail) => detail !== undefined)
  if (details.length === 0 && code === undefined && webhook === undefined) return null
  return (
    <p className="timeline-details">
      {details.length > 0 && (
        <span>
          {details.map((detail, at) => (
            <Fragment key={detail}>
              {at > 0 && ' · '}
              <bdi>{detail}</bdi>
            </Fragment>
          ))}
        </span>
      )}
      {code !== undefined && <code>{code}</code>}
      {webhook !== undefined && (
        <Link href={`/webhooks/${encodeURIComponent(webhook.webhookId)}`}>{t('timeline.webhook')}</Link>
      )}
    </p>
  )
}
