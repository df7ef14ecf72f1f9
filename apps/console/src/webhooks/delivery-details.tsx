import { Button } from '@mantine/core'
import type { DeliveryAnswer, DeliveryWithRequest } from '@smsgw/contract/webhooks/webhook'
import { useDelivery, useRedeliver } from '../api/webhooks.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { clockWords, durationWords, fullWords, listWords } from '../ui/values/relative-words.ts'
import { t } from '../words/text.ts'
import { attemptErrorWords } from './attempt-error-words.ts'
import { readableJson } from './readable-json.ts'

/** The request of a delivery and the response to each attempt. */
export function DeliveryDetails({
  delivery: { id, webhookId, attempts, droppedReason, droppedCode, droppedValues },
}: {
  readonly delivery: DeliveryAnswer
}) {
  const delivery = useDelivery(webhookId, id)
  const redeliver = useRedeliver()
  return (
    <div className="delivery-details">
      {droppedReason !== undefined && (
        <p className="small">
          {t('delivery.droppedBecause', { reason: attemptErrorWords(droppedReason, droppedCode, droppedValues) })}
        </p>
      )}
      <h3>{t('delivery.request')}</h3>
      <ProblemNote error={delivery.error} retry={() => void delivery.refetch()} />
      {delivery.isPending && <WaitingLines />}
      {delivery.data && <Request request={delivery.data.request} />}
      {attempts.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
      <ProblemNote error={redeliver.error} />
      <div className="page-actions">
        <Button size="xs" variant="default" loading={redeliver.isPending} onClick={() => redeliver.mutate(id)}>
          {t('delivery.resend')}
        </Button>
      </div>
    </div>
  )
}

function Request({
  request: { method, url, headers, headersOfAttempt, body, isHashed },
}: {
  readonly request: DeliveryWithRequest['request']
}) {
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return (
    <>
      <CopyField
        name={t('delivery.requestName')}
        isLong
        value={[...head, '', body === undefined ? '' : readableJson(body)].join('\n')}
      />
      {isHashed && <p className="small quiet">{t('delivery.hashed')}</p>}
      <p className="small quiet">{t('delivery.attemptHeaders', { headers: listWords(headersOfAttempt) })}</p>
    </>
  )
}

type AttemptAnswer = DeliveryAnswer['attempts'][number]

export function errorWords({ error, errorCode, errorValues }: AttemptAnswer): string {
  return error === undefined ? t('delivery.noAnswer') : attemptErrorWords(error, errorCode, errorValues)
}

function Attempt({ attempt }: { readonly attempt: AttemptAnswer }) {
  const { number, startedAt, durationMs, status, error, excerpt } = attempt
  return (
    <section aria-label={t('delivery.attempt', { number })}>
      <h3>
        {t('delivery.attempt', { number })}{' '}
        <time className="quiet" dateTime={startedAt} title={fullWords(startedAt)}>
          {clockWords(startedAt)} · {durationWords(durationMs)}
        </time>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable by key */}
      <pre tabIndex={0} dir="ltr">
        {status === undefined ? <bdi>{errorWords(attempt)}</bdi> : `HTTP ${status}`}
        {status !== undefined && error !== undefined && (
          <>
            {'\n\n'}
            <bdi>{errorWords(attempt)}</bdi>
          </>
        )}
        {excerpt !== undefined && excerpt !== '' && `\n\n${excerpt}`}
      </pre>
    </section>
  )
}
