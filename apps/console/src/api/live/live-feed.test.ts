import { liveEventKinds } from '@smsgw/contract/live/live-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LiveFeed } from './live-feed.ts'

/** A connection of the browser that the test opens, sends data to, and breaks. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2
  static all: FakeSource[] = []
  readonly url: string
  readyState = 0
  onopen: () => void = () => undefined
  onerror: () => void = () => undefined

  constructor(url: string) {
    super()
    this.url = url
    FakeSource.all.push(this)
  }

  close(): void {
    this.readyState = 2
  }

  send(kind: string, data: object, lastEventId = ''): void {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data), lastEventId }))
  }

  beat(): void {
    this.send('heartbeat', { intervalSeconds: 15 }, 'c7')
  }
}

let feed: LiveFeed
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeSource)
  FakeSource.all = []
  feed = new LiveFeed()
  feed.open()
})
afterEach(() => {
  feed.close()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const source = () => FakeSource.all.at(-1) as FakeSource
const seconds = (count: number) => vi.advanceTimersByTime(count * 1_000)

test('a relay that hangs is detected by its missing heartbeats, and the stream is opened again from the last event', () => {
  source().onopen()
  for (let count = 0; count < 5; count++) {
    source().beat()
    seconds(15)
    expect(feed.state).toBe('live')
  }
  const hanging = source()
  seconds(20)
  expect([feed.state, hanging.readyState]).toEqual(['away', 2])
  seconds(1)
  expect(source()).not.toBe(hanging)
  expect(source().url).toContain('lastEventId=c7')
  source().onopen()
  expect(feed.state).toBe('live')
})

test('any event shows that the relay still works', () => {
  source().onopen()
  source().beat()
  for (let count = 0; count < 4; count++) {
    seconds(20)
    source().send('log.added', {})
  }
  expect([feed.state, FakeSource.all.length]).toEqual(['live', 1])
})

test('a relay that hangs before its first heartbeat is detected', () => {
  source().onopen()
  seconds(39)
  expect([feed.state, FakeSource.all.length]).toEqual(['live', 1])
  seconds(1)
  expect(feed.state).toBe('away')
  seconds(1)
  expect(FakeSource.all).toHaveLength(2)
})

test('every kind of event reaches the page', () => {
  const received: string[] = []
  feed.onEvent((kind) => received.push(kind))
  for (const kind of [...liveEventKinds, 'reset']) source().send(kind, {})
  expect(received).toEqual([...liveEventKinds, 'reset'])
})

test('a stream that does not start is opened again', () => {
  seconds(16)
  expect([feed.state, FakeSource.all.length]).toEqual(['away', 2])
})

test('a closed feed does not open the stream again', () => {
  source().onopen()
  source().beat()
  feed.close()
  seconds(600)
  expect(FakeSource.all).toHaveLength(1)
})
