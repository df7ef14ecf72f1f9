import type { EventsFrame } from '@smsgw/contract/link/frame'
import { expect, test } from 'vitest'
import {
  batchStored,
  type EventIntake,
  isOverfull,
  nextBatch,
  openIntake,
  restartFrom,
  storeFailed,
  takeEvents,
} from './event-intake.ts'

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
const take = (intake: EventIntake, ...frames: readonly EventsFrame[]) =>
  frames.reduce<EventIntake>((taken, next) => {
    const after = takeEvents(taken, next, 10)
    if (after === 'gap') throw new Error('gap')
    return after
  }, intake)
const idsOf = ({ storing }: EventIntake) =>
  storing?.events.map((received) =>
    'event' in received && 'cmdId' in received.event ? received.event.cmdId : received,
  )

test('one batch is stored at a time, and what arrives meanwhile goes together into the next', () => {
  const first = nextBatch(take(openIntake(4), frame(5, 2)))
  expect(first.storing).toMatchObject({ from: 5, tag: 't6' })
  const more = nextBatch(take(first, frame(7, 1), frame(8, 2)))
  expect(more.storing).toBe(first.storing)
  const next = nextBatch(batchStored(more, 6))
  expect(idsOf(next)).toEqual(['c7', 'c8', 'c9'])
  expect(next.storing).toMatchObject({ from: 7, tag: 't9' })
})

test('what was sent again is taken once', () => {
  const intake = nextBatch(take(openIntake(0), frame(1, 3)))
  expect(takeEvents(intake, frame(1, 3), 10)).toBe(intake)
  expect(take(intake, frame(2, 3)).waiting).toMatchObject([{ from: 4, skipped: 0, tag: 't4' }])
})

test('a gap is refused, one that says so is kept, and never joined with what comes before', () => {
  expect(takeEvents(openIntake(4), frame(6, 1), 10)).toBe('gap')
  const intake = nextBatch(take(openIntake(4), frame(5, 1), frame(9, 1, 3)))
  expect(intake.storing).toMatchObject({ from: 5 })
  expect(intake.waiting).toMatchObject([{ from: 9, skipped: 3 }])
})

test('after a replay was asked for, what was sent before it was heard is passed over', () => {
  const intake = restartFrom(4)
  expect(takeEvents(intake, frame(9, 2), 10)).toBe(intake)
  const resumed = take(intake, frame(5, 1))
  expect(resumed).toMatchObject({ received: 5, isReplaying: false })
  expect(takeEvents(resumed, frame(9, 2), 10)).toBe('gap')
})

test('what could not be stored is tried again, first, and after a pause', () => {
  const failed = storeFailed(nextBatch(take(openIntake(0), frame(1, 1))))
  expect(nextBatch(take(failed, frame(2, 1))).storing).toBeUndefined()
  expect(idsOf(nextBatch({ ...take(failed, frame(2, 1)), isPaused: false }))).toEqual(['c1', 'c2'])
})

test('a transaction stays of a size that the database can bear', () => {
  const intake = nextBatch(take(openIntake(0), frame(1, 200), frame(201, 200)))
  expect(intake.storing?.events).toHaveLength(200)
})

test('no more waits for the disk than the window and a few megabytes', () => {
  const intake = take(openIntake(0), frame(1, 3))
  expect(isOverfull(intake, 3)).toBe(false)
  expect(isOverfull(intake, 2)).toBe(true)
  expect(isOverfull(takeEvents(intake, frame(4, 1), 5_000_000) as EventIntake, 100)).toBe(true)
})
