import { type LiveEventKind, liveEventKinds } from '@smsgw/contract/live-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventStream, type EventStreamNeeds } from './event-stream.ts'
import type { LiveEvent } from './live-event.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A stream that begins at 10, and a caller that takes what it is sent, or does not. */
function world(needs: Partial<EventStreamNeeds> = {}) {
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
    stillMay: () => Promise.resolve(true),
    ...needs,
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
  return { stream, begin, sink, live }
}

const event = (id: number, kind: LiveEventKind = 'message.created'): LiveEvent => ({
  id: BigInt(id),
  accountId: 'a1',
  kind,
  data: { id: `m${id}` },
})
const told = (text: string) => [...text.matchAll(/data: \{"id":"(\w+)"\}/g)].map(([, id]) => id)

test('an event has its cursor, its kind and its data', () => {
  const { stream, begin, sink } = world()
  begin()
  stream.tell(event(11))
  expect(sink.text).toBe('retry: 2000\nid: c10\n\nid: c11\nevent: message.created\ndata: {"id":"m11"}\n\n')
})

test('what was missed goes first, then what came meanwhile, each once', () => {
  const { stream, begin, sink } = world()
  stream.tell(event(11))
  stream.resume(8n, [event(9), event(10)])
  stream.tell(event(12))
  begin()
  stream.tell(event(13))
  expect(told(sink.text)).toEqual(['m9', 'm10', 'm11', 'm12', 'm13'])
})

test('what the caller has read from another relay, which was further, is not told again', () => {
  const { stream, begin, sink } = world()
  stream.resume(12n, [])
  begin()
  for (const id of [11, 12, 13]) stream.tell(event(id))
  expect(told(sink.text)).toEqual(['m13'])
})

test('a caller whose place is not known is told so before anything else', () => {
  const { stream, begin, sink } = world()
  stream.tell(event(11))
  stream.reset()
  begin()
  expect(sink.text).toMatch(/^retry: 2000\nid: c10\n\nevent: reset\ndata: \{\}\n\nid: c11\n/)
})

test('only the kinds that were asked for and allowed are told', () => {
  const { stream, begin, sink } = world({ kinds: new Set(['log.added'] as const) })
  stream.resume(8n, [event(9), event(10, 'log.added')])
  begin()
  stream.tell(event(11))
  stream.tell(event(12, 'log.added'))
  expect(told(sink.text)).toEqual(['m10', 'm12'])
})

test('a quiet stream is kept open, and moves on with what is kept', async () => {
  const { begin, sink, live } = world()
  begin()
  live.place = 500n
  await vi.advanceTimersByTimeAsync(15_000)
  expect(sink.text).toMatch(/: still here\nid: c500\n\n$/)
})

test('who may not watch any more is cut off', async () => {
  let may = true
  const { begin, sink, live } = world({ stillMay: () => Promise.resolve(may) })
  begin()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(sink.isEnded).toBe(false)
  may = false
  await vi.advanceTimersByTimeAsync(15_000)
  expect([sink.isEnded, live.listening]).toEqual([true, 0])
})

test('who does not read is cut off, and nothing is kept for it', () => {
  const { stream, begin, sink, live } = world({ mostUnreadBytes: 1_000 })
  begin()
  sink.unreadBytes = 1_001
  stream.tell(event(11))
  expect([sink.isEnded, live.listening, told(sink.text)]).toEqual([true, 0, []])
})

test('who goes leaves nothing behind, neither a listener nor a timer', () => {
  const { begin, sink, live } = world()
  begin()
  sink.closed()
  expect([live.listening, vi.getTimerCount()]).toEqual([0, 0])
})

test('one that was ended before it began ends at once', () => {
  const { stream, begin, sink } = world()
  stream.end()
  begin()
  expect([sink.isEnded, sink.text, vi.getTimerCount()]).toEqual([true, '', 0])
})
