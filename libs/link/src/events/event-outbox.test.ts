import { maxFrameBytes } from '@smsgw/contract/link/frame'
import { expect, test } from 'vitest'
import { byteLength } from '../connection/frame-text.ts'
import {
  acknowledge,
  eventFrames,
  markSent,
  nextReading,
  openOutbox,
  prune,
  resume,
  tickOutbox,
  waitsForFewEvents,
} from './event-outbox.ts'

const event = (text: string, tag = 't') => ({ text: JSON.stringify({ text }), tag })
const framesOf = (sent: number, from: number, texts: readonly string[]) =>
  eventFrames(
    sent,
    from,
    texts.map((text, index) => event(text, `t${from + index}`)),
  )

test('reads unsynced events in order, one batch at a time', () => {
  const outbox = openOutbox({ first: 1, tail: 100, mark: 30 })
  const reading = nextReading(outbox, 1_000)
  expect(reading).toMatchObject({ from: 31, most: 64 })
  expect(nextReading({ ...outbox, readingFrom: 31 }, 1_000)).toBeUndefined()
})

test('limits events in flight to the window, by number and size', () => {
  const outbox = openOutbox({ first: 1, tail: 100, mark: 30 })
  expect(nextReading({ ...outbox, sent: 38 }, 10)?.most).toBe(2)
  expect(nextReading({ ...outbox, sent: 40 }, 10)).toBeUndefined()
  const heavy = markSent(outbox, [{ upto: 31, text: 'x'.repeat(600_000) }])
  expect(nextReading(heavy, 1_000)).toBeUndefined()
  expect(nextReading(acknowledge(heavy, 31), 1_000)).toMatchObject({ from: 32 })
})

test('sends everything after the mark of the relay again after a reconnect', () => {
  const outbox = markSent(openOutbox({ first: 1, tail: 9, mark: 2 }), [{ upto: 9, text: '' }])
  expect(nextReading(outbox, 10)).toBeUndefined()
  expect(nextReading(resume(outbox, 4), 10)).toMatchObject({ from: 5, most: 5 })
})

test('an acknowledgement never lowers the mark', () => {
  expect(acknowledge(openOutbox({ first: 1, tail: 9, mark: 5 }), 3).mark).toBe(5)
})

test('declares events that retention removed as a gap', () => {
  const outbox = resume(openOutbox({ first: 7, tail: 9, mark: 9 }), 2)
  expect(nextReading(outbox, 10)).toMatchObject({ from: 7, most: 3 })
  const [frame] = framesOf(2, 7, ['a', 'b'])
  expect(JSON.parse(frame?.text ?? '')).toMatchObject({ from: 7, skipped: 4, tag: 't8', events: [{}, {}] })
})

test('stops reading events that retention removed during the read', () => {
  const reading = { ...resume(openOutbox({ first: 1, tail: 9, mark: 9 }), 2), readingFrom: 3 }
  expect(nextReading(prune(reading, 7), 10)).toMatchObject({ from: 7, most: 3 })
  expect(nextReading(prune(reading, 3), 10)).toBeUndefined()
})

test('splits events that do not fit into one frame, with number and tag in each', () => {
  const frames = framesOf(4, 5, ['水'.repeat(50_000), '水'.repeat(50_000), 'c'])
  expect(frames.length).toBeGreaterThan(1)
  const read = frames.map(({ text }) => JSON.parse(text))
  expect(read.flatMap(({ events }) => events)).toHaveLength(3)
  expect(read.at(-1)).toMatchObject({ tag: 't7' })
  for (const [index, { from, events }] of read.entries()) expect(from + events.length - 1).toBe(frames[index]?.upto)
  for (const { text } of frames) expect(byteLength(text)).toBeLessThanOrEqual(maxFrameBytes)
})

test('an event that does not fit into a frame does not block the others', () => {
  const frames = framesOf(0, 1, ['a', '水'.repeat(maxFrameBytes), 'c'])
  const events = frames.flatMap(({ text }) => JSON.parse(text).events)
  expect(events).toEqual([{ text: 'a' }, { kind: 'too-large' }, { text: 'c' }])
})

test('counts ticks only while events are in flight', () => {
  const outbox = openOutbox({ first: 1, tail: 9, mark: 5 })
  expect(tickOutbox(outbox).unacknowledgedTicks).toBe(0)
  const inFlight = markSent(outbox, [{ upto: 9, text: '' }])
  expect(tickOutbox(tickOutbox(inFlight)).unacknowledgedTicks).toBe(2)
  expect(acknowledge(tickOutbox(inFlight), 6).unacknowledgedTicks).toBe(0)
})

test('expects a quick acknowledgement of a few events, but not of a backlog, because a backlog takes long on a slow connection', () => {
  const open = openOutbox({ first: 1, tail: 10, mark: 0 })
  const small = markSent(open, [{ upto: 5, text: 'x'.repeat(1_000) }])
  expect(waitsForFewEvents(small, 5)).toBe(false)
  expect(waitsForFewEvents(tickOutbox(small), 5)).toBe(true)
  expect(waitsForFewEvents(tickOutbox(markSent(small, [{ upto: 10, text: 'x'.repeat(60_000) }])), 5)).toBe(false)
  expect(waitsForFewEvents(acknowledge(tickOutbox(small), 5), 5)).toBe(false)
  expect(waitsForFewEvents(tickOutbox(small), 0.25)).toBe(false)
})

test('passes on events that are in memory as they are, unless one of them was read from the journal', () => {
  const processed = (cmdId: string) => ({ kind: 'processed', cmdId, at: '2026-01-01T00:00:00Z' }) as const
  const inMemory = (cmdId: string) => ({ text: JSON.stringify(processed(cmdId)), tag: cmdId, event: processed(cmdId) })
  const [frame] = eventFrames(3, 5, [inMemory('a'), inMemory('b')])
  expect(frame?.frame).toEqual(JSON.parse(frame?.text ?? ''))
  expect(eventFrames(3, 5, [inMemory('a'), event('b')])[0]).not.toHaveProperty('frame')
})
