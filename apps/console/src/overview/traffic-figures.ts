import type { StatisticsBucket } from '@smsgw/contract/messages/statistics'
import type { PlotLine } from '../plot/plot.tsx'
import { t } from '../words/text.ts'

/** The lines of both plots of the overview. */
export function trafficLines(buckets: readonly StatisticsBucket[]) {
  const counts = (count: (bucket: StatisticsBucket) => number) => withoutPlunge(buckets.map(count))
  const messages: readonly PlotLine[] = [
    { name: t('traffic.sent'), colour: '--ink', isFilled: true, values: counts(({ sent }) => sent) },
    { name: t('traffic.delivered'), colour: '--accent-ink', values: counts(({ delivered }) => delivered) },
    { name: t('traffic.received'), colour: '--muted', isDashed: true, values: counts(({ received }) => received) },
    // Leaves out a line without failures, because a red line at zero would look like a problem.
    ...(buckets.some(({ failed }) => failed > 0)
      ? [{ name: t('traffic.failed'), colour: '--bad' as const, values: counts(({ failed }) => failed) }]
      : []),
  ]
  const times: readonly PlotLine[] = [
    {
      name: t('traffic.median'),
      colour: '--accent-ink',
      isFilled: true,
      values: buckets.map(({ acceptToSentMs }) => acceptToSentMs?.p50 ?? null),
    },
    {
      name: t('traffic.p95'),
      colour: '--warn',
      values: buckets.map(({ acceptToSentMs }) => acceptToSentMs?.p95 ?? null),
    },
  ]
  return { atSeconds: buckets.map(({ at }) => Date.parse(at) / 1000), counts: messages, times }
}

/**
 * Removes a fall in the current bucket, because its count is still growing. The fall is drawn when the bucket has
 * ended.
 */
function withoutPlunge(values: readonly number[]): (number | null)[] {
  return values.map((value, at) => (at > 0 && at === values.length - 1 && value < (values[at - 1] ?? 0) ? null : value))
}

const counted = ['accepted', 'sent', 'delivered', 'failed', 'received'] as const

interface Totals extends Readonly<Record<(typeof counted)[number], number>> {
  /**
   * The median of the slowest bucket, in milliseconds. One median for all buckets cannot be calculated from their
   * medians.
   */
  readonly slowestP50: number
  readonly slowestP95: number
}

export function totalsOf(buckets: readonly StatisticsBucket[]): Totals {
  const sum = (name: (typeof counted)[number]) => buckets.reduce((total, bucket) => total + bucket[name], 0)
  return {
    accepted: sum('accepted'),
    sent: sum('sent'),
    delivered: sum('delivered'),
    failed: sum('failed'),
    received: sum('received'),
    slowestP50: Math.max(0, ...buckets.map(({ acceptToSentMs }) => acceptToSentMs?.p50 ?? 0)),
    slowestP95: Math.max(0, ...buckets.map(({ acceptToSentMs }) => acceptToSentMs?.p95 ?? 0)),
  }
}
