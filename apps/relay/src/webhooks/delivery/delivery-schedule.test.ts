import { describe, expect, test } from 'vitest'
import { nextPauseMs, retryAfterSeconds } from './judge-outcome.ts'

const unasked = { requestedSeconds: undefined, fraction: 0.5 }
const schedule = (retries?: number) => {
  const pauses: number[] = []
  for (let attempts = 1; ; attempts++) {
    const pauseMs = nextPauseMs(attempts, retries, unasked)
    if (pauseMs === undefined) return pauses
    pauses.push(pauseMs / 1000)
  }
}

describe('an event is retried', () => {
  test('at growing intervals, for more than three days', () => {
    expect(schedule()).toEqual([5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
  })

  test('as often as the account sets: less often, or with the last pause repeated', () => {
    expect(schedule(1)).toEqual([5])
    expect(schedule(3)).toEqual([5, 30, 300])
    expect(schedule(12)).toEqual([...schedule(), 86_400, 86_400])
  })

  test('with a jitter of 20 %', () => {
    expect(nextPauseMs(1, undefined, { ...unasked, fraction: 0 })).toBe(4_000)
    expect(nextPauseMs(1, undefined, { ...unasked, fraction: 1 })).toBe(6_000)
    expect(nextPauseMs(10, undefined, { ...unasked, fraction: 1 })).toBe(103_680_000)
  })
})

describe('a requested pause', () => {
  const requested = (attempts: number, requestedSeconds: number) =>
    (nextPauseMs(attempts, undefined, { requestedSeconds, fraction: 0.5 }) ?? 0) / 1000

  test('is obeyed to the second, up to an hour', () => {
    expect([requested(1, 2), requested(2, 7), requested(3, 3_600), requested(1, 3_601), requested(1, 1e9)]).toEqual([
      2, 7, 3600, 3600, 3600,
    ])
    expect(requested(1, 0)).toBe(1)
  })

  test('does not use up the retries of a receiver that always requests a second', () => {
    const pauses = Array.from({ length: 10 }, (_, index) => requested(index + 1, 1))
    expect(pauses).toEqual([1, 1, 1, ...schedule().slice(3)])
  })
})

test.each([
  ['120', 120],
  [' 5 ', 5],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 30],
  ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['in 5', undefined],
  ['9999999999', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %j is %j seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, Date.parse('2026-10-21T07:28:00Z'))).toBe(seconds)
})
