import type { DeliveryAnswer } from '@smsgw/contract/webhook'
import { useState } from 'react'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { durationWords } from '../ui/relative-words.ts'
import { DeliveryDetails } from './delivery-details.tsx'

const shown: Readonly<Record<DeliveryAnswer['state'], readonly [tone: Tone, word: string]>> = {
  delivered: ['good', 'delivered'],
  waiting: ['warn', 'waiting'],
  failed: ['bad', 'given up'],
  dropped: ['quiet', 'dropped'],
}

/** One delivery; opened, what was asked of the receiver and what it answered each time. */
export function DeliveryRow({ delivery }: { readonly delivery: DeliveryAnswer }) {
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
      {isOpen && <DeliveryDetails delivery={delivery} />}
    </li>
  )
}
