import type { DeliveryAnswer } from '@smsgw/contract/webhook'

export interface HealthBar {
  readonly id: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** Of the full height: how long the last attempt took, on a scale that shows 20 ms and 10 s. */
  readonly share: number
}

const longestMs = 15_000

export function barsOf(deliveries: readonly DeliveryAnswer[]): readonly HealthBar[] {
  return deliveries
    .filter(({ attempts }) => attempts.length > 0)
    .map(({ id, state, attempts }) => ({
      id,
      // Delivered at the second try is well in the end, and still worth seeing.
      tone: state === 'delivered' ? (attempts.length > 1 ? 'warn' : 'good') : 'bad',
      share: Math.min(1, Math.log1p(attempts.at(-1)?.durationMs ?? 0) / Math.log1p(longestMs)),
    }))
}
