import { type AccessLoss, type LiveEventKind, liveEventKinds } from '@smsgw/contract/live/live-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventStream, type EventStreamDeps } from './event-stream.ts'
import type { StoredLiveEvent } from './read-live-events-statement.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Returns a stream that starts at event 10, and a client that reads or does not read. */
function world(deps: Partial<EventStreamDeps> = {}) {
  const access = {
    loss: undefined as AccessLoss | undefined,
    isUnknown: false,
    watching: 0,
    deliver: (_: AccessLoss): void => undefined,
  }
  const sink = { text: '', unreadBytes: 0, isEnded: false, closed: (): void => undefined }
  const live = { place: 10n, listening: 0 }
  const stream = new EventStream({
    live: {
      get place() {
        return live.place
      },
      listen() {
        live.listening += 1
        return () => {
          live.listening -= 1
        }
      },
    },
    accountId: 'a1',
    sinceId: 0n,
    kinds: new Set(liveEventKinds),
    cursorOf: (place) => `c${place}`,
    access: {
      async lost() {
        if (access.isUnknown) throw new Error('database unavailable')
        return access.loss
      },
      onLost(deliver) {
        access.watching += 1
        access.deliver = deliver
        return () => {
          access.watching -= 1
        }
      },
    },
    ...deps,
  })
  const begin = () =>
    stream.begin({
      write: (text) => {
        sink.text += text
      },
      get unreadBytes() {
        return sink.unreadBytes
      },
      end: () => {
        sink.isEnded = true
      },
      onClose: (closed) => {
        sink.closed = closed
      },
    })
  return { stream, begin, sink, live, access }
}

const event = (id: number, kind: LiveEventKind = 'message.created'): StoredLiveEvent => ({
  id: BigInt(id),
  accountId: 'a1',
  kind,
  data: { id: `m${id}` },
})
const HEARTBEAT = 'event: heartbeat\ndata: {"intervalSeconds":15}\n\n'
const settled = () => vi.advanceTimersByTimeAsync(0)
const idsIn = (text: string) => [...text.matchAll(/data: \{"id":"(\w+)"\}/g)].map(([, id]) => id)

test('an event has its cursor, its kind and its data', async () => {
  const { stream, begin, sink } = world()
  begin()
  stream.deliver(event(11))
  await settled()
  expect(sink.text).toBe(`retry: 2000\nid: c10\n\n${HEARTBEAT}id: c11\nevent: message.created\ndata: {"id":"m11"}\n\n`)
})

test('sends missed events first, then new ones, each once', async () => {
  const { stream, begin, sink } = world()
  stream.deliver(event(11))
  stream.resume(8n, [event(9), event(10)])
  stream.deliver(event(12))
  begin()
  stream.deliver(event(13))
  await settled()
  expect(idsIn(sink.text)).toEqual(['m9', 'm10', 'm11', 'm12', 'm13'])
})

test('does not repeat events that the client has already read from a relay that was ahead', async () => {
  const { stream, begin, sink } = world()
  stream.resume(12n, [])
  begin()
  for (const id of [11, 12, 13]) stream.deliver(event(id))
  await settled()
  expect(idsIn(sink.text)).toEqual(['m13'])
})

test('sends a reset first to a client with an unknown position', async () => {
  const { stream, begin, sink } = world()
  stream.deliver(event(11))
  stream.reset()
  begin()
  await settled()
  expect(sink.text).toMatch(
    /^retry: 2000\n\nevent: heartbeat\ndata: .*\n\nid: c10\nevent: reset\ndata: \{\}\n\nid: c11\n/,
  )
})

test.each([
  ['missed events', (stream: EventStream) => stream.resume(7n, [event(8), event(9)]), ['c8', 'c9', 'c11']],
  ['a reset', (stream: EventStream) => stream.reset(), ['c10', 'c11']],
])('a client that is disconnected before it has read %s keeps its old cursor', async (_, prepare, cursors) => {
  const { stream, begin, sink } = world()
  prepare(stream)
  stream.deliver(event(11))
  begin()
  await settled()
  const withCursor = sink.text.split('\n\n').filter((block) => /^id: /m.test(block))
  expect(withCursor.map((block) => /^id: (\w+)\nevent: /.exec(block)?.[1])).toEqual(cursors)
})

test('a client that missed nothing gets the present cursor at once', () => {
  const { stream, begin, sink } = world({ kinds: new Set(['log.added'] as const) })
  stream.resume(8n, [event(9), event(10)])
  begin()
  expect(sink.text).toMatch(/^retry: 2000\nid: c10\n\n/)
})

test('sends only the requested and allowed kinds', async () => {
  const { stream, begin, sink } = world({ kinds: new Set(['log.added'] as const) })
  stream.resume(8n, [event(9), event(10, 'log.added')])
  begin()
  stream.deliver(event(11))
  stream.deliver(event(12, 'log.added'))
  await settled()
  expect(idsIn(sink.text)).toEqual(['m10', 'm12'])
})

test('sends a heartbeat event at the start and then at the interval that it names', async () => {
  const { begin, sink } = world()
  begin()
  expect(sink.text.split(HEARTBEAT)).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(sink.text.split(HEARTBEAT)).toHaveLength(4)
})

test('keeps an idle stream open and advances its cursor', async () => {
  const { begin, sink, live } = world()
  begin()
  live.place = 500n
  await vi.advanceTimersByTimeAsync(15_000)
  expect(sink.text).toMatch(new RegExp(`id: c500\n${HEARTBEAT}$`))
})

test('sends the reason to a client that loses access, and sends nothing after it', async () => {
  const { stream, begin, sink, live, access } = world()
  begin()
  access.deliver('token_revoked')
  stream.deliver(event(11))
  await settled()
  expect(sink.text).toMatch(/event: end\ndata: \{"code":"token_revoked","message":"[^"]+"\}\n\n$/)
  expect([sink.isEnded, live.listening, access.watching, idsIn(sink.text)]).toEqual([true, 0, 0, []])
})

test('checks access before each event', async () => {
  const { stream, begin, sink, access } = world()
  begin()
  stream.deliver(event(11))
  await settled()
  access.loss = 'password_changed'
  stream.deliver(event(12))
  await settled()
  expect([idsIn(sink.text), sink.isEnded]).toEqual([['m11'], true])
  expect(sink.text).toContain('"code":"password_changed"')
})

test('sends no missed events to a client that lost access while the stream was prepared', async () => {
  const { stream, begin, sink, access } = world()
  stream.resume(8n, [event(9)])
  access.loss = 'account_removed'
  begin()
  await settled()
  expect([idsIn(sink.text), sink.isEnded]).toEqual([[], true])
})

test('delays events while access cannot be checked, and loses no event', async () => {
  const { stream, begin, sink, access } = world()
  begin()
  access.isUnknown = true
  for (const id of [11, 12]) stream.deliver(event(id))
  await vi.advanceTimersByTimeAsync(20_000)
  expect([idsIn(sink.text), sink.text.split(HEARTBEAT).length, sink.isEnded]).toEqual([[], 2, false])
  access.isUnknown = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(idsIn(sink.text)).toEqual(['m11', 'm12'])
})

test('disconnects a client that does not read, and buffers nothing for it', async () => {
  const { stream, begin, sink, live } = world({ mostUnreadBytes: 1_000 })
  begin()
  sink.unreadBytes = 1_001
  stream.deliver(event(11))
  await settled()
  expect([sink.isEnded, live.listening, idsIn(sink.text)]).toEqual([true, 0, []])
})

test('leaves no listener, watch or timer after a client disconnects', () => {
  const { begin, sink, live, access } = world()
  begin()
  sink.closed()
  expect([live.listening, access.watching, vi.getTimerCount()]).toEqual([0, 0, 0])
})

test('a stream that was ended before it began ends at once', () => {
  const { stream, begin, sink } = world()
  stream.end()
  begin()
  expect([sink.isEnded, sink.text, vi.getTimerCount()]).toEqual([true, '', 0])
})
