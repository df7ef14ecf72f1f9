import type { StatisticsBucket } from '@smsgw/contract/messages/statistics'
import { expect, test } from 'vitest'
import { totalsOf, trafficLines } from './traffic-figures.ts'

const bucket = (minute: number, sent: number): StatisticsBucket => ({
  at: `2026-03-01T08:0${minute}:00.000Z`,
  accepted: sent,
  sent,
  delivered: sent,
  failed: 0,
  received: 2,
  acceptToSentMs: null,
})
const sentOf = (buckets: readonly StatisticsBucket[]) => trafficLines(buckets).counts[0]?.values

test('a current bucket below the previous bucket is not drawn', () => {
  expect(sentOf([bucket(0, 40), bucket(1, 50), bucket(2, 3)])).toEqual([40, 50, null])
})

test('the current bucket is drawn when it has reached the previous bucket', () => {
  expect(sentOf([bucket(0, 40), bucket(1, 50), bucket(2, 50)])).toEqual([40, 50, 50])
  expect(sentOf([bucket(0, 0), bucket(1, 0)])).toEqual([0, 0])
  expect(sentOf([bucket(0, 4)])).toEqual([4])
})

test('a decrease between finished buckets is drawn', () => {
  expect(sentOf([bucket(0, 40), bucket(1, 3), bucket(2, 3)])).toEqual([40, 3, 3])
})

test('failures have a line only if there are any', () => {
  expect(trafficLines([bucket(0, 1)]).counts.map(({ name }) => name)).toEqual(['Sent', 'Delivered', 'Received'])
  expect(trafficLines([{ ...bucket(0, 1), failed: 1 }]).counts.at(-1)?.values).toEqual([1])
})

const counted = (counts: Partial<StatisticsBucket>): StatisticsBucket => ({
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
    counted({ accepted: 3, sent: 2, failed: 1, acceptToSentMs: { p50: 900, p95: 1_200 } }),
    counted({ accepted: 4, sent: 4, delivered: 4, received: 2, acceptToSentMs: { p50: 700, p95: 5_000 } }),
    counted({}),
  ]
  expect(totalsOf(buckets)).toEqual({
    ...{ accepted: 7, sent: 6, delivered: 4, failed: 1, received: 2 },
    ...{ slowestP50: 900, slowestP95: 5_000 },
  })
})

test('without buckets all totals are zero', () => {
  expect(Object.values(totalsOf([])).every((total) => total === 0)).toBe(true)
})
