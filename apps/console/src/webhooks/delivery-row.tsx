import type { DeliveryAnswer } from '@smsgw/contract/webhooks/webhook'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { RelativeTime, useNow } from '../ui/values/relative-time.tsx'
import { durationWords } from '../ui/values/relative-words.ts'
import { optionalText, rich, t } from '../words/text.ts'
import { DeliveryDetails, errorWords } from './delivery-details.tsx'

const tones: Readonly<Record<DeliveryAnswer['state'], Tone>> = {
  delivered: 'good',
  waiting: 'warn',
  failed: 'bad',
  dropped: 'quiet',
}

/** One delivery. When opened it shows the request and the response of each attempt. */
export function DeliveryRow({
  delivery,
  showsEvent,
  isOpen,
  onToggle,
}: {
  readonly delivery: DeliveryAnswer
  /** True if the webhook has several events. */
  readonly showsEvent: boolean
  readonly isOpen: boolean
  readonly onToggle: () => void
}) {
  const { event, state, createdAt, attempts, attemptCount, nextAttemptAt } = delivery
  const last = attempts.at(-1)
  const isAgain = nextAttemptAt !== undefined && state === 'waiting'
  return (
    <>
      <button type="button" className="delivery-head" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name={isOpen ? 'down' : 'onward'} size={14} />
        <RelativeTime at={createdAt} />
        <span className="delivery-answer">
          <Dotted>
            {showsEvent && <bdi>{optionalText(`event.${event}`) ?? event}</bdi>}
            <bdi>
              {last === undefined
                ? t('delivery.notTried')
                : last.status === undefined
                  ? errorWords(last)
                  : `HTTP ${last.status}`}
            </bdi>
            {last !== undefined && <bdi className="quiet">{durationWords(last.durationMs)}</bdi>}
          </Dotted>
        </span>
        <span className="quiet small">
          {attemptCount > 1 && t('delivery.attempts', { count: attemptCount })}
          {isAgain && attemptCount > 1 && ' · '}
          {isAgain && <NextAttempt at={nextAttemptAt} />}
        </span>
        <Badge tone={tones[state]}>{t(`deliveryState.${state}`)}</Badge>
      </button>
      {isOpen && <DeliveryDetails delivery={delivery} />}
    </>
  )
}

/**
 * Shows the next attempt. While a receiver fails, only some deliveries are tried, so a delivery that is due may wait.
 */
function NextAttempt({ at }: { readonly at: string }) {
  const remainingMs = Date.parse(at) - useNow()
  if (remainingMs <= 0) return <>{t('delivery.due')}</>
  // A relative time of less than ten seconds is "now".
  if (remainingMs < 10_000) return <>{t('delivery.soon')}</>
  return <>{rich('delivery.next', { when: <RelativeTime at={at} /> })}</>
}
