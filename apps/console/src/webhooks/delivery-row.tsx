import { Button } from '@mantine/core'
import type { DeliveryAnswer } from '@smsgw/contract/webhook'
import { useState } from 'react'
import { useRedeliver } from '../api/webhooks.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { clockWords, durationWords, fullWords } from '../ui/relative-words.ts'

const shown: Readonly<Record<DeliveryAnswer['state'], readonly [tone: Tone, word: string]>> = {
  delivered: ['good', 'delivered'],
  waiting: ['warn', 'waiting'],
  failed: ['bad', 'given up'],
  dropped: ['quiet', 'dropped'],
}

/** One delivery; opened, what was asked of the receiver and what it answered each time. */
export function DeliveryRow({ delivery, url }: { readonly delivery: DeliveryAnswer; readonly url: string }) {
  const [isOpen, setOpen] = useState(false)
  const { state, createdAt, attempts, attemptCount, nextAttemptAt } = delivery
  const [tone, word] = shown[state]
  const last = attempts.at(-1)
  return (
    <li>
      <button type="button" className="delivery-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'onward'} size={14} />
        <RelativeTime at={createdAt} />
        <span className="delivery-answer">
          {last === undefined ? 'not tried yet' : last.status === undefined ? last.error : `HTTP ${last.status}`}
          {last !== undefined && <span className="quiet"> in {durationWords(last.durationMs)}</span>}
        </span>
        <span className="quiet small">
          {attemptCount > 1 && `${attemptCount} attempts`}
          {nextAttemptAt !== undefined && state === 'waiting' && (
            <>
              {' '}
              next <RelativeTime at={nextAttemptAt} />
            </>
          )}
        </span>
        <Badge tone={tone}>{word}</Badge>
      </button>
      {isOpen && <DeliveryDetails delivery={delivery} url={url} />}
    </li>
  )
}

function DeliveryDetails({
  delivery: { id, attempts, event, deviceId, webhookId },
  url,
}: {
  readonly delivery: DeliveryAnswer
  readonly url: string
}) {
  const redeliver = useRedeliver()
  return (
    <div className="delivery-details">
      <h3>Request</h3>
      <pre>
        POST {url}
        {'\n'}webhook-id: {id}
        {'\n\n'}
        {JSON.stringify({ deviceId, event, id, payload: '(not shown here)', webhookId })}
      </pre>
      {attempts.map(({ number, startedAt, durationMs, status, error, excerpt }) => (
        <section key={number} aria-label={`Attempt ${number}`}>
          <h3>
            Attempt {number}{' '}
            <time className="quiet" dateTime={startedAt} title={fullWords(startedAt)}>
              {clockWords(startedAt)}, {durationWords(durationMs)}
            </time>
          </h3>
          <pre>
            {status === undefined ? (error ?? 'no answer') : `HTTP ${status}`}
            {excerpt !== undefined && excerpt !== '' && `\n\n${excerpt}`}
          </pre>
        </section>
      ))}
      <ProblemNote error={redeliver.error} />
      <div className="page-actions">
        <Button size="xs" variant="default" loading={redeliver.isPending} onClick={() => redeliver.mutate(id)}>
          Send it again
        </Button>
      </div>
    </div>
  )
}
