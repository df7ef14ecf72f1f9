import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchEvents } from './tab-notifications.ts'

type Listener = Parameters<Parameters<typeof watchEvents>[0]['onEvent']>[0]

let happen: Listener
const answers: Response[] = []
const shown: unknown[] = []

beforeEach(() => {
  vi.useFakeTimers()
  shown.length = 0
  vi.stubGlobal('navigator', { locks: { request: async (_: string, __: object, work: () => unknown) => work() } })
  vi.stubGlobal('location', { origin: 'http://console' })
  vi.stubGlobal('fetch', async () => answers.shift() ?? Response.json({}, { status: 503 }))
})

afterEach(() => {
  answers.length = 0
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function watch(): () => void {
  const feed = {
    onEvent: (listener: Listener) => {
      happen = listener
      return () => undefined
    },
  }
  return watchEvents(feed, ['message.received'], async (content) => void shown.push(content))
}

const received = { id: 'i1', sender: '+447400123456' }

test('a received message is shown, even if the gateway was busy at first', async () => {
  const stop = watch()
  answers.push(Response.json({ message: 'busy' }, { status: 503 }), Response.json({}))
  happen('inbox.received', received)
  await vi.advanceTimersByTimeAsync(0)
  expect(shown).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(shown).toMatchObject([{ kind: 'message.received', about: received.sender }])
  stop()
})

test('a message from a blocked number is not shown', async () => {
  const stop = watch()
  answers.push(Response.json({ blockedAt: '2026-03-01T08:00:00.000Z' }))
  happen('inbox.received', received)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(shown).toEqual([])
  stop()
})

test('nothing is shown after notifications were turned off', async () => {
  const stop = watch()
  answers.push(Response.json({}))
  happen('inbox.received', received)
  stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(shown).toEqual([])
})
