import { expect, test } from 'vitest'
import { ManualClock } from '../testing/manual-clock.ts'
import { Deadline } from './deadline.ts'

function setUp(isFlowing: () => boolean = () => false) {
  const clock = new ManualClock()
  const passed: number[] = []
  const deadline = new Deadline(clock, isFlowing, () => void passed.push(clock.nowMs()))
  return { clock, passed, deadline }
}

test('passes once, at its time', async () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  await clock.advance(10_000)
  expect(passed).toEqual([1000])
  expect(clock.pending).toBe(0)
})

test('a deadline can be moved in both directions', async () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  await clock.advance(900)
  deadline.set(5000)
  await clock.advance(200)
  deadline.set(100)
  await clock.advance(10_000)
  expect(passed).toEqual([1200])
})

test('a deadline never passes after `clear`', async () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  await clock.advance(500)
  deadline.clear()
  await clock.advance(10_000)
  expect(passed).toEqual([])
})

test('a deadline is checked only after the data that has arrived at the port was read', () => {
  const { clock, passed, deadline } = setUp()
  deadline.set(1000)
  clock.sleep(60_000)
  clock.runDue()
  deadline.set(1000)
  clock.runDue()
  expect(passed).toEqual([])
})

test('a deadline waits for the end of a line that is arriving, up to a limit', async () => {
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
