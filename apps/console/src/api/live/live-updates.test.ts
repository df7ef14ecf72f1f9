import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveFeed } from './live-feed.ts'
import { refresher } from './live-updates.ts'

type Listener = Parameters<LiveFeed['onEvent']>[0]

let client: QueryClient
let happen: Listener
let become: (state: LiveFeed['state']) => void
let stop: () => void
/** The number of answers to each query. */
let answers: Map<string, number>

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { addEventListener: vi.fn(), removeEventListener: vi.fn(), visibilityState: 'visible' })
  client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  answers = new Map()
  let state: LiveFeed['state'] = 'live'
  let watchers: readonly (() => void)[] = []
  stop = refresher(
    {
      get state() {
        return state
      },
      onEvent: (listener: Listener) => {
        happen = listener
        return () => undefined
      },
      onState: (watcher: () => void) => {
        watchers = [...watchers, watcher]
        return () => undefined
      },
    },
    client,
  )
  become = (next) => {
    state = next
    for (const watcher of watchers) watcher()
  }
})

afterEach(() => {
  stop()
  client.clear()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Shows a query on the page, and waits until it is answered. */
async function shown(...queryKey: readonly string[]): Promise<() => number> {
  const name = queryKey.join(' ')
  new QueryObserver(client, {
    queryKey,
    queryFn: () => {
      answers.set(name, (answers.get(name) ?? 0) + 1)
      return Promise.resolve(null)
    },
  }).subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(0)
  answers.set(name, 0)
  return () => answers.get(name) ?? 0
}

test('a burst of events reloads a query once, and again after a second', async () => {
  const devices = await shown('devices')
  for (let count = 0; count < 50; count++) happen('device.changed', { id: 'attic' })
  await vi.advanceTimersByTimeAsync(200)
  expect(devices()).toBe(1)
  for (let count = 0; count < 50; count++) happen('device.changed', { id: 'attic' })
  await vi.advanceTimersByTimeAsync(600)
  expect(devices()).toBe(1)
  await vi.advanceTimersByTimeAsync(400)
  expect(devices()).toBe(2)
})

test('statistics are reloaded at most every five seconds', async () => {
  const statistics = await shown('statistics')
  for (let step = 0; step < 100; step++) {
    happen('message.created', { id: `m${step}` })
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(statistics()).toBe(2)
})

test('an event reloads only the queries that it affects', async () => {
  const [mine, other, settings] = [
    await shown('device', 'attic'),
    await shown('device', 'cellar'),
    await shown('settings'),
  ]
  happen('device.changed', { id: 'attic' })
  await vi.advanceTimersByTimeAsync(2_000)
  expect([mine(), other(), settings()]).toEqual([1, 0, 0])
})

test('a reset of the stream reloads everything except the session', async () => {
  const [devices, session] = [await shown('devices'), await shown('session')]
  happen('reset', {} as never)
  await vi.advanceTimersByTimeAsync(2_000)
  expect([devices(), session()]).toEqual([1, 0])
})

test('without a stream the page polls, and reloads once when the stream returns', async () => {
  const devices = await shown('devices')
  become('away')
  await vi.advanceTimersByTimeAsync(8_100)
  expect(devices()).toBe(2)
  become('live')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(devices()).toBe(3)
})
