import type { TimelineEntry } from '@smsgw/contract/timeline'
import { Link } from 'wouter'
import { beginsDay, shortDayWords } from '../ui/day-words.ts'
import { clockWords, fullWords } from '../ui/relative-words.ts'
import { locale, optionalText, t } from '../words/text.ts'
import { inLocalTime, partWords, sinceWords, toneOf } from './timeline-words.ts'
import './timeline-list.css'

export function TimelineList({
  entries,
  isToMany,
}: {
  readonly entries: readonly TimelineEntry[]
  readonly isToMany: boolean
}) {
  return (
    <ol className="timeline">
      {entries.map((entry, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other name, and a row keeps nothing that another must not get
        <li key={at} data-tone={toneOf(entry)}>
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
            {entry.advice !== undefined && (
              <p className="timeline-advice" lang="en" dir="auto">
                {entry.advice}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** The API describes steps in English. In other languages the name of the step comes first. */
function Text({ entry: { kind, text } }: { readonly entry: TimelineEntry }) {
  const name = locale().language === 'en' ? undefined : optionalText(`step.${kind}`)
  if (name === undefined) return <p>{inLocalTime(text)}</p>
  return (
    <>
      <p>{name}</p>
      <p className="timeline-details" lang="en" dir="auto">
        {inLocalTime(text)}
      </p>
    </>
  )
}

function Details({
  entry: { recipient, part, code, webhook, text },
  isToMany,
}: {
  readonly entry: TimelineEntry
  readonly isToMany: boolean
}) {
  const details = [
    isToMany ? recipient : undefined,
    part && part.total > 1 && !text.includes(partWords(part)) ? partWords(part) : undefined,
    part?.reference === undefined ? undefined : t('timeline.reference', { number: String(part.reference) }),
    webhook?.event,
    webhook?.httpStatus === undefined ? undefined : `HTTP ${webhook.httpStatus}`,
    webhook?.error,
  ].filter((detail) => detail !== undefined)
  if (details.length === 0 && code === undefined && webhook === undefined) return null
  return (
    <p className="timeline-details">
      {details.join(' · ')}
      {code !== undefined && <code>{code}</code>}
      {webhook !== undefined && (
        <Link href={`/webhooks/${encodeURIComponent(webhook.webhookId)}`}>{t('timeline.webhook')}</Link>
      )}
    </p>
  )
}
