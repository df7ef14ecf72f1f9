import type { TimelineEntry } from '@smsgw/contract/timeline'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { beginsDay, shortDayWords } from '../ui/day-words.ts'
import { clockWords, fullWords } from '../ui/relative-words.ts'
import { WindowedList } from '../ui/windowed-list.tsx'
import { locale, t } from '../words/text.ts'
import { adviceWords, partWords, sinceWords, stepWords, toneOf } from './timeline-words.ts'
import './timeline-list.css'

export function TimelineList({
  entries,
  isToMany,
}: {
  readonly entries: readonly TimelineEntry[]
  readonly isToMany: boolean
}) {
  return (
    <WindowedList
      className="timeline"
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
              {beginsDay(entries[at - 1]?.at, entry.at) && (
                <span className="timeline-day">{shortDayWords(entry.at)}</span>
              )}
              <time dateTime={entry.at} title={fullWords(entry.at)}>
                {clockWords(entry.at)}
              </time>
              <span>{sinceWords(entries[at - 1]?.at, entry.at)}</span>
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

function Text({ entry }: { readonly entry: TimelineEntry }) {
  const { text, original } = stepWords(entry)
  return (
    <>
      {text !== '' && <p>{text}</p>}
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

function Details({
  entry: { recipient, part, code, webhook, text, simNumber },
  isToMany,
}: {
  readonly entry: TimelineEntry
  readonly isToMany: boolean
}) {
  const isEnglish = locale().language === 'en'
  const details = [
    isToMany ? recipient : undefined,
    part && part.total > 1 && !(isEnglish && text.includes(partWords(part))) ? partWords(part) : undefined,
    isEnglish || simNumber === undefined ? undefined : t('common.simNumber', { number: simNumber }),
    part?.reference === undefined ? undefined : t('timeline.reference', { number: String(part.reference) }),
    // The English text already contains these values.
    ...(isEnglish || webhook === undefined
      ? []
      : [webhook.event, webhook.httpStatus === undefined ? undefined : `HTTP ${webhook.httpStatus}`, webhook.error]),
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
