import { expect, test } from 'vitest'
import { pauseBefore, retryAfter } from './connecting.ts'

test('pauses double from half a second to a minute, with full jitter', () => {
  const pauses = Array.from({ length: 10 }, (_, attempts) => pauseBefore(attempts, 'soon'))
  expect(pauses.map(({ toMs }) => toMs)).toEqual([500, 1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 6e4, 6e4, 6e4])
  expect(pauses.every(({ fromMs }) => fromMs === 0)).toBe(true)
  expect(pauseBefore(1e9, 'soon').toMs).toBe(60_000)
})

test('reconnects at once when the relay requests a reconnect, but pauses after a failed attempt', () => {
  expect(pauseBefore(0, 'now')).toEqual({ fromMs: 0, toMs: 0 })
  expect(pauseBefore(3, 'now').toMs).toBe(4_000)
})

test('retries every few minutes after an error that a person has to fix', () => {
  expect(pauseBefore(0, 'slowly')).toEqual({ fromMs: 60_000, toMs: 600_000 })
})

test.each([
  [1006, 'soon'],
  [1001, 'soon'],
  [4000, 'now'],
  [4401, 'slowly'],
  [4403, 'never'],
  [4409, 'soon'],
  [4503, 'soon'],
])('after code %i it retries %s', (code, retry) => {
  expect(retryAfter(code)).toBe(retry)
})
