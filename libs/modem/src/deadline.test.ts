import { expect, test } from 'vitest'
import { Deadline } from './deadline.ts'
import { ManualClock } from './testing/manual-clock.ts'

function setUp(isFlowing: () => boolean = () => false) {
  const clock = new ManualClock()
  const passed: number[] = []
  const deadline = new Deadline(clock, isFlowing, () => void passed.push(clock.nowMs()))
  return { clock, passed, deadline }
}

test('passes once, when it was set for', async () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  await clock.advance(10_000)
  expect(passed).toEqual([1000])
  expect(clock.pending).toBe(0)
})

test('moves both ways', async () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  await clock.advance(900)
  deadline.set(5000)
  await clock.advance(200)
  deadline.set(100)
  await clock.advance(10_000)
  expect(passed).toEqual([1200])
})

test('never passes when it was cleared', async () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  await clock.advance(500)
  deadline.clear()
  await clock.advance(10_000)
  expect(passed).toEqual([])
})

test('gives what was waiting in the port a chance before it passes', () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  clock.sleep(60_000)
  clock.runDue()
  deadline.set(1000)
  clock.runDue()
  expect(passed).toEqual([])
})

test('waits for a line that flows, but not for ever', async () => {
  let flowing = true
  const { clock, passed, deadline } = setUp(() => flowing)
  deadline.set(1000)
  await clock.advance(2000)
  expect(passed).toEqual([])
  flowing = false
  await clock.advance(250)
  expect(passed).toHaveLength(1)
  flowing = true
  deadline.set(1000)
  await clock.advance(10_000)
  expect(passed).toHaveLength(2)
})
