import type { DeliveryAnswer } from '@smsgw/contract/webhooks/webhook'

export interface HealthBar {
  readonly id: string
  readonly tone: 'good' | 'warn' | 'bad'
  /**
   * The height of the bar, as a fraction of the full height. It shows the duration of the last attempt on a logarithmic
   * scale, so that 20 ms and 10 s are both visible.
   */
  readonly share: number
}

const longestMs = 15_000

export function barsOf(deliveries: readonly DeliveryAnswer[]): readonly HealthBar[] {
  return deliveries
    .filter(({ attempts }) => attempts.length > 0)
    .map(({ id, state, attempts }) => ({
      id,
      // A delivery that needed a retry has succeeded, but is shown as a warning.
      tone: state === 'delivered' ? (attempts.length > 1 ? 'warn' : 'good') : 'bad',
      share: Math.min(1, Math.log1p(attempts.at(-1)?.durationMs ?? 0) / Math.log1p(longestMs)),
    }))
}

/** True if none of the three latest deliveries succeeded. A single failed delivery may have another cause. */
export function isFailingNow(newestFirst: readonly HealthBar[]): boolean {
  return newestFirst.length > 0 && newestFirst.slice(0, 3).every(({ tone }) => tone === 'bad')
}
