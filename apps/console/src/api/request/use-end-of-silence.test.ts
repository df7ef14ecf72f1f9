import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiFailure } from './ask.ts'
import { isSilence, whenAnswered } from './use-end-of-silence.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const silent = () => Promise.reject(new TypeError('fetch failed'))
const gatewayWith = (...answers: (() => Promise<Response>)[]) => {
  const fetching = vi.fn(() => (answers.shift() ?? silent)())
  vi.stubGlobal('fetch', fetching)
  return fetching
}

test('waits until the gateway answers, also after the error of a proxy', async () => {
  const proxy = async () => new Response('', { status: 502 })
  const fetching = gatewayWith(silent, proxy, async () => new Response('{}'))
  const act = vi.fn()
  whenAnswered(act)
  while (fetching.mock.calls.length < 3) {
    expect(act).not.toHaveBeenCalled()
    await vi.advanceTimersToNextTimerAsync()
  }
  expect(act).toHaveBeenCalledTimes(1)
  expect(vi.getTimerCount()).toBe(0)
})

test('a refusal is an answer', async () => {
  gatewayWith(async () => new Response('{}', { status: 401 }))
  const act = vi.fn()
  whenAnswered(act)
  await vi.advanceTimersToNextTimerAsync()
  expect(act).toHaveBeenCalledTimes(1)
})

test('asks no more after it is stopped', async () => {
  const fetching = gatewayWith(async () => new Response('{}'))
  const act = vi.fn()
  whenAnswered(act)()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([fetching.mock.calls.length, act.mock.calls.length]).toEqual([0, 0])
})

test('only a request without an answer of the gateway counts as silence', () => {
  expect([0, 502, 503, 504, 400, 409, 500].filter((status) => isSilence(new ApiFailure(status, {})))).toEqual([
    0, 502, 503, 504,
  ])
  expect(isSilence(new ApiFailure(503, { message: 'the database is unavailable' }))).toBe(false)
  expect(isSilence(new Error('another error'))).toBe(false)
})
