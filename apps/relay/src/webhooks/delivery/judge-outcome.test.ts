import { describe, expect, test } from 'vitest'
import { judgeOutcome, nextPauseMs, retryAfterSeconds } from './judge-outcome.ts'

const judge = (status: number, about: { retryAfter?: string; attempts?: number; retries?: number } = {}) =>
  judgeOutcome(
    {
      kind: 'replied',
      reply: { status, retryAfter: about.retryAfter, contentType: undefined, excerpt: '', isWhole: true },
      address: undefined,
    },
    { attempts: about.attempts ?? 1, retries: about.retries, nowMs: 0, fraction: 0.5 },
  )

test.each([200, 201, 202, 204, 299])('status %d counts as delivered', (status) => {
  expect(judge(status)).toEqual({ state: 'delivered', pauseMs: 0, requestedPauseMs: 0, isGone: false })
})

test.each([301, 302, 307, 308, 304, 400, 401, 404, 418, 429, 500, 502, 503])('status %d is retried', (status) => {
  expect(judge(status)).toEqual({ state: 'waiting', pauseMs: 5_000, requestedPauseMs: 0, isGone: false })
})

test('a missing response is retried', () => {
  const outcome = { kind: 'failed', error: 'connection refused', address: undefined } as const
  expect(judgeOutcome(outcome, { attempts: 2, retries: undefined, nowMs: 0, fraction: 0.5 })).toMatchObject({
    state: 'waiting',
    pauseMs: 30_000,
  })
})

test('an event fails after the last retry', () => {
  expect(judge(500, { attempts: 10 })).toMatchObject({ state: 'waiting' })
  expect(judge(500, { attempts: 11 })).toMatchObject({ state: 'failed' })
  expect(judge(500, { attempts: 1, retries: 1 })).toMatchObject({ state: 'waiting' })
  expect(judge(500, { attempts: 2, retries: 1 })).toMatchObject({ state: 'failed' })
})

test('status 410 means that the receiver is gone', () => {
  expect(judge(410)).toMatchObject({ state: 'waiting', isGone: true })
})

test('Retry-After is used only with 429 and 503', () => {
  for (const status of [429, 503])
    expect(judge(status, { retryAfter: '7' })).toMatchObject({ pauseMs: 7_000, requestedPauseMs: 7_000 })
  for (const status of [500, 302, 200])
    expect(judge(status, { retryAfter: '7' })).toMatchObject({ requestedPauseMs: 0 })
})

const noRequest = { requestedSeconds: undefined, fraction: 0.5 }
const schedule = (retries?: number) => {
  const pauses: number[] = []
  for (let attempts = 1; ; attempts++) {
    const pauseMs = nextPauseMs(attempts, retries, noRequest)
    if (pauseMs === undefined) return pauses
    pauses.push(pauseMs / 1000)
  }
}

describe('an event is retried', () => {
  test('an event is retried at growing intervals, for more than three days', () => {
    expect(schedule()).toEqual([5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
  })

  test('an event is retried as often as the account allows, with the last pause repeated if necessary', () => {
    expect(schedule(1)).toEqual([5])
    expect(schedule(3)).toEqual([5, 30, 300])
    expect(schedule(12)).toEqual([...schedule(), 86_400, 86_400])
  })

  test('an event is retried with a jitter of 20 %', () => {
    expect(nextPauseMs(1, undefined, { ...noRequest, fraction: 0 })).toBe(4_000)
    expect(nextPauseMs(1, undefined, { ...noRequest, fraction: 1 })).toBe(6_000)
    expect(nextPauseMs(10, undefined, { ...noRequest, fraction: 1 })).toBe(103_680_000)
  })
})

describe('a requested pause', () => {
  const requested = (attempts: number, requestedSeconds: number) =>
    (nextPauseMs(attempts, undefined, { requestedSeconds, fraction: 0.5 }) ?? 0) / 1000

  test('a requested pause is applied exactly to the second, up to an hour', () => {
    expect([requested(1, 2), requested(2, 7), requested(3, 3_600), requested(1, 3_601), requested(1, 1e9)]).toEqual([
      2, 7, 3600, 3600, 3600,
    ])
    expect(requested(1, 0)).toBe(1)
  })

  test('a requested pause does not use up the retries of a receiver that always requests one second', () => {
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
