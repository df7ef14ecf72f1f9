import { expect, test } from 'vitest'
import { judgeOutcome } from './judge-outcome.ts'

const judge = (status: number, about: { retryAfter?: string; attempts?: number; retries?: number } = {}) =>
  judgeOutcome(
    { kind: 'replied', reply: { status, retryAfter: about.retryAfter, excerpt: '' }, address: undefined },
    { attempts: about.attempts ?? 1, retries: about.retries, nowMs: 0, fraction: 0.5 },
  )

test.each([200, 201, 202, 204, 299])('%d counts as delivered', (status) => {
  expect(judge(status)).toEqual({ state: 'delivered', pauseMs: 0, requestedPauseMs: 0, isGone: false })
})

test.each([301, 302, 307, 308, 304, 400, 401, 404, 418, 429, 500, 502, 503])('%d is retried', (status) => {
  expect(judge(status)).toEqual({ state: 'waiting', pauseMs: 5_000, requestedPauseMs: 0, isGone: false })
})

test('a missing response is retried', () => {
  const outcome = { kind: 'failed', error: 'connection refused', address: undefined } as const
  expect(judgeOutcome(outcome, { attempts: 2, retries: undefined, nowMs: 0, fraction: 0.5 })).toMatchObject({
    state: 'waiting',
    pauseMs: 30_000,
  })
})

test('gives up after the last retry', () => {
  expect(judge(500, { attempts: 10 })).toMatchObject({ state: 'waiting' })
  expect(judge(500, { attempts: 11 })).toMatchObject({ state: 'failed' })
  expect(judge(500, { attempts: 1, retries: 1 })).toMatchObject({ state: 'waiting' })
  expect(judge(500, { attempts: 2, retries: 1 })).toMatchObject({ state: 'failed' })
})

test('410 means that the receiver is gone', () => {
  expect(judge(410)).toMatchObject({ state: 'waiting', isGone: true })
})

test('Retry-After counts with 429 and 503 only', () => {
  for (const status of [429, 503])
    expect(judge(status, { retryAfter: '7' })).toMatchObject({ pauseMs: 7_000, requestedPauseMs: 7_000 })
  for (const status of [500, 302, 200])
    expect(judge(status, { retryAfter: '7' })).toMatchObject({ requestedPauseMs: 0 })
})
