import type { TimelineEntry } from '@smsgw/contract/messages/timeline'
import type { WaitingReason } from '@smsgw/contract/messages/waiting'
import { Link } from 'wouter'
import { WindowedList } from '../ui/lists/windowed-list.tsx'
import { beginsDay, shortDayWords } from '../ui/values/day-words.ts'
import { Dotted } from '../ui/values/dotted.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { clockWords, fullWords } from '../ui/values/relative-words.ts'
import { attemptErrorWords } from '../webhooks/attempt-error-words.ts'
import { locale, optionalText, t } from '../words/text.ts'
import {
  adviceWords,
  type Failure,
  isAhead,
  partWords,
  shownCode,
  sinceWords,
  stepWords,
  toneOf,
} from './timeline-words.ts'
import './timeline-list.css'

/**
 * The steps of a message that have happened and, in a separate list, what the message waits for.
 * @param failures the failures by phone number, which the page describes elsewhere
 */
export function TimelineList({
  entries,
  isToMany,
  failures,
}: {
  readonly entries: readonly TimelineEntry[]
  readonly isToMany: boolean
  readonly failures: ReadonlyMap<string, Failure>
}) {
  const hasCause = ({ recipient, cause }: TimelineEntry) =>
    entries.some((entry) => !isAhead(entry) && entry.recipient === recipient && entry.cause === cause)
  // A cause that a step of the past shows is not repeated.
  const next = entries.filter(isAhead).map((entry) => (hasCause(entry) ? { ...entry, cause: undefined } : entry))
  // A time that is still ahead is shown once.
  const isShownAhead = ({ kind }: TimelineEntry) =>
    next.some(({ code }) => code !== undefined && code === reasonOf[kind])
  const past = entries.filter((entry) => !isAhead(entry) && !isShownAhead(entry))
  return (
    <>
      <Steps className="timeline" entries={past} isToMany={isToMany} failures={failures} />
      {next.length > 0 && (
        <section className="timeline-next" aria-label={t('timeline.next')}>
          <h3>{t('timeline.next')}</h3>
          <Steps className="timeline is-next" entries={next} isToMany={isToMany} failures={failures} />
        </section>
      )}
    </>
  )
}

/** Steps that only announce a wait. */
const reasonOf: Readonly<Partial<Record<TimelineEntry['kind'], WaitingReason>>> = {
  scheduled: 'scheduled',
  held: 'approval',
}

function Steps({
  className,
  entries,
  isToMany,
  failures,
}: {
  readonly className: string
  readonly entries: readonly TimelineEntry[]
  readonly isToMany: boolean
  readonly failures: ReadonlyMap<string, Failure>
}) {
  const failureOf = ({ recipient }: TimelineEntry) => (recipient === undefined ? undefined : failures.get(recipient))
  // The code of a failure stands beside the step of the network. If there is no such step, it stands at the end.
  const shown = new Set(entries.map(({ kind, recipient, code }) => `${kind === 'failed'} ${recipient} ${code}`))
  const codeOf = (entry: TimelineEntry) => {
    const code = entry.kind === 'failed' ? failureOf(entry)?.networkCode : undefined
    return code === undefined || shown.has(`false ${entry.recipient} ${code}`) ? shownCode(entry) : code
  }
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
              <Text entry={entry} failure={failureOf(entry)} />
              <Details entry={entry} code={codeOf(entry)} isToMany={isToMany} />
              <Advice entry={entry} failure={failureOf(entry)} />
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

interface StepProps {
  readonly entry: TimelineEntry
  readonly failure: Failure | undefined
}

function Text({ entry, failure }: StepProps) {
  const { text: words, original } = stepWords(entry, failure)
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

function Advice({ entry, failure }: StepProps) {
  const advice = adviceWords(entry, failure)
  if (advice === undefined) return null
  return (
    <p className="timeline-advice" data-tone={advice.tone} lang={advice.isEnglish ? 'en' : undefined} dir="auto">
      {advice.text}
    </p>
  )
}

function Details({
  entry,
  code,
  isToMany,
}: {
  readonly entry: TimelineEntry
  readonly code: string | undefined
  readonly isToMany: boolean
}) {
  const { recipient, part, webhook, text, simNumber } = entry
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
          <Dotted>
            {details.map((detail) => (
              <bdi key={detail}>{detail}</bdi>
            ))}
          </Dotted>
        </span>
      )}
      {code !== undefined && <code>{code}</code>}
      {webhook !== undefined && (
        <Link href={`/webhooks/${encodeURIComponent(webhook.webhookId)}`}>{t('timeline.webhook')}</Link>
      )}
    </p>
  )
}
