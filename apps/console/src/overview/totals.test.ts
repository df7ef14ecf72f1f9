import type { StatisticsBucket } from '@smsgw/contract/messages/statistics'
import { expect, test } from 'vitest'
import { totalsOf } from './totals.ts'

const bucket = (counts: Partial<StatisticsBucket>): StatisticsBucket => ({
  ...{
    at: '2026-03-01T08:00:00.000Z',
    accepted: 0,
    sent: 0,
    delivered: 0,
    failed: 0,
    received: 0,
    acceptToSentMs: null,
  },
  ...counts,
})

test('counts are added, and the slowest times of all buckets are shown', () => {
  const buckets = [
    bucket({ accepted: 3, sent: 2, failed: 1, acceptToSentMs: { p50: 900, p95: 1_200 } }),
    bucket({ accepted: 4, sent: 4, delivered: 4, received: 2, acceptToSentMs: { p50: 700, p95: 5_000 } }),
    bucket({}),
  ]
  expect(totalsOf(buckets)).toEqual({
    ...{ accepted: 7, sent: 6, delivered: 4, failed: 1, received: 2 },
    ...{ slowestP50: 900, slowestP95: 5_000 },
  })
})

test('without buckets all totals are zero', () => {
  expect(Object.values(totalsOf([])).every((total) => total === 0)).toBe(true)
})
