import type { EventsFrame } from '@smsgw/contract/link/frame'
import { expect, test } from 'vitest'
import {
  acceptEvents,
  batchStored,
  type EventInbox,
  isOverfull,
  nextBatch,
  openInbox,
  release,
  restartFrom,
  storeFailed,
} from './event-inbox.ts'

const frame = (from: number, count: number, skipped?: number): EventsFrame => ({
  type: 'events',
  from,
  ...(skipped !== undefined && { skipped }),
  events: Array.from({ length: count }, (_, index) => ({
    kind: 'cancelled',
    cmdId: `c${from + index}`,
    at: '2026-01-01T00:00:00Z',
  })),
  tag: `t${from + count - 1}`,
})
const checked = { length: 10, areValid: false }
const take = (inbox: EventInbox, ...frames: readonly EventsFrame[]) =>
  frames.reduce<EventInbox>((taken, next) => {
    const after = acceptEvents(taken, next, checked)
    if (after === 'gap') throw new Error('gap')
    return after
  }, inbox)
const idsOf = ({ storing }: EventInbox) =>
  storing?.events.map((received) =>
    'event' in received && 'cmdId' in received.event ? received.event.cmdId : received,
  )

test('stores one batch at a time, and joins events that arrive during a write into the next batch', () => {
  const first = nextBatch(take(openInbox(4), frame(5, 2)))
  expect(first.storing).toMatchObject({ from: 5, tag: 't6' })
  const more = nextBatch(take(first, frame(7, 1), frame(8, 2)))
  expect(more.storing).toBe(first.storing)
  const next = nextBatch(batchStored(more, 6, false))
  expect(idsOf(next)).toEqual(['c7', 'c8', 'c9'])
  expect(next.storing).toMatchObject({ from: 7, tag: 't9' })
})

test('an inbox that is held collects events until it is released or has a large batch', () => {
  const held = batchStored(nextBatch(take(openInbox(0), frame(1, 1))), 1, true)
  const waiting = nextBatch(take(held, frame(2, 1), frame(3, 254)))
  expect(waiting.storing).toBeUndefined()
  expect(nextBatch(release(waiting)).storing).toMatchObject({ from: 2, tag: 't256' })
  expect(nextBatch(take(waiting, frame(257, 1))).storing).toMatchObject({ from: 2, tag: 't257' })
})

test('accepts repeated events once', () => {
  const inbox = nextBatch(take(openInbox(0), frame(1, 3)))
  expect(acceptEvents(inbox, frame(1, 3), checked)).toBe(inbox)
  expect(take(inbox, frame(2, 3)).waiting).toMatchObject([{ from: 4, skipped: 0, tag: 't4' }])
})

test('refuses an undeclared gap, and accepts a declared gap and stores the events after it in a new batch', () => {
  expect(acceptEvents(openInbox(4), frame(6, 1), checked)).toBe('gap')
  const inbox = nextBatch(take(openInbox(4), frame(5, 1), frame(9, 1, 3)))
  expect(inbox.storing).toMatchObject({ from: 5 })
  expect(inbox.waiting).toMatchObject([{ from: 9, skipped: 3 }])
})

test('ignores events that were sent before the agent received a replay request', () => {
  const inbox = restartFrom(4)
  expect(acceptEvents(inbox, frame(9, 2), checked)).toBe(inbox)
  const resumed = take(inbox, frame(5, 1))
  expect(resumed).toMatchObject({ received: 5, isReplaying: false })
  expect(acceptEvents(resumed, frame(9, 2), checked)).toBe('gap')
})

test('repeats a failed batch first, after a pause', () => {
  const failed = storeFailed(nextBatch(take(openInbox(0), frame(1, 1))))
  expect(nextBatch(take(failed, frame(2, 1))).storing).toBeUndefined()
  expect(idsOf(nextBatch({ ...take(failed, frame(2, 1)), isPaused: false }))).toEqual(['c1', 'c2'])
})

test('limits the events in one transaction', () => {
  const inbox = nextBatch(take(openInbox(0), frame(1, 400), frame(401, 200)))
  expect(inbox.storing?.events).toHaveLength(400)
})

test('limits pending events to the window and a few megabytes', () => {
  const inbox = take(openInbox(0), frame(1, 3))
  expect(isOverfull(inbox, 3)).toBe(false)
  expect(isOverfull(inbox, 2)).toBe(true)
  expect(isOverfull(acceptEvents(inbox, frame(4, 1), { length: 5_000_000, areValid: false }) as EventInbox, 100)).toBe(
    true,
  )
})

test('keeps an unreadable event together with the reason', () => {
  const unreadable = [{ kind: 'riddle' }, { kind: 'cancelled', cmdId: 'c1', at: 'yesterday' }]
  const { storing } = nextBatch(take(openInbox(0), { ...frame(1, 2), events: unreadable }))
  expect(storing?.events).toEqual([
    { problem: 'kind is unknown to this version' },
    { problem: 'at has the wrong format' },
  ])
})
