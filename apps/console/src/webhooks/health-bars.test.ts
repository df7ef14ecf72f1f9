import type { DeliveryAnswer } from '@smsgw/contract/webhooks/webhook'
import { expect, test } from 'vitest'
import { barsOf, isFailingNow } from './health-bars.ts'

const at = '2026-03-01T08:46:11.000Z'
const delivery = (state: DeliveryAnswer['state'], ...durations: readonly number[]): DeliveryAnswer => ({
  id: `${state}${durations}`,
  webhookId: 'w',
  event: 'sms:sent',
  deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW',
  state,
  createdAt: at,
  attemptCount: durations.length,
  attempts: durations.map((durationMs, index) => ({ number: index + 1, startedAt: at, durationMs })),
})

test('a delivery that succeeds at once is good, a success after retries is a warning, and a waiting or failed delivery is bad', () => {
  const bars = barsOf([
    delivery('delivered', 20),
    delivery('delivered', 20, 20),
    delivery('waiting', 9),
    delivery('failed', 9),
  ])
  expect(bars.map(({ tone }) => tone)).toEqual(['good', 'warn', 'bad', 'bad'])
})

test('a delivery without attempts has no bar', () => {
  expect(barsOf([delivery('waiting')])).toEqual([])
})

test('a slower response has a taller bar, and no bar is taller than the strip', () => {
  const [fast, slow, slowest] = barsOf([
    delivery('delivered', 20),
    delivery('delivered', 900),
    delivery('failed', 99_999),
  ])
  expect(fast?.share).toBeLessThan(slow?.share ?? 0)
  expect(slowest?.share).toBe(1)
})

test('a webhook fails if none of its three latest deliveries succeeded', () => {
  const failing = (...states: readonly DeliveryAnswer['state'][]) =>
    isFailingNow(barsOf(states.map((state) => delivery(state, 20))))
  expect(failing('waiting', 'failed', 'waiting', 'delivered')).toBe(true)
  expect(failing('failed')).toBe(true)
  expect(failing('waiting', 'failed', 'delivered')).toBe(false)
  expect(failing('delivered', 'failed', 'failed')).toBe(false)
  expect(failing()).toBe(false)
})
