import type { StatisticsBucket } from '@smsgw/contract/messages/statistics'
import { expect, test } from 'vitest'
import { trafficLines } from './traffic-lines.ts'

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
