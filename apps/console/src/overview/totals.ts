import type { StatisticsBucket } from '@smsgw/contract/messages/statistics'

const counted = ['accepted', 'sent', 'delivered', 'failed', 'received'] as const

export interface Totals extends Readonly<Record<(typeof counted)[number], number>> {
  /** The largest median of all buckets in milliseconds, because medians cannot be combined. */
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
