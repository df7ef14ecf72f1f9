import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ReservedShare } from './reserved-share.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('four names of a group have a turn in a second, and the rest none', async () => {
  const share = new ReservedShare()
  const turns = Array.from({ length: 10 }, (_, index) => share.turn('here', `name ${index}`))
  await vi.advanceTimersByTimeAsync(1_000)
  expect((await Promise.all(turns)).filter(Boolean)).toHaveLength(4)
  expect(vi.getTimerCount()).toBe(0)
})

test('a name that had no turn comes before those that had, however often they ask', async () => {
  const share = new ReservedShare()
  for (let round = 0; round < 3; round++) {
    const turns = ['a', 'b', 'c'].map((name) => share.turn('here', name))
    await vi.advanceTimersByTimeAsync(1_000)
    await Promise.all(turns)
  }
  const others = ['a', 'b', 'c'].map((name) => share.turn('here', name))
  const owner = share.turn('here', 'owner')
  await vi.advanceTimersByTimeAsync(250)
  expect(await owner).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(others)
})

test('one of a name waits at a time', async () => {
  const share = new ReservedShare()
  const first = share.turn('here', 'a')
  expect(await share.turn('here', 'a')).toBe(false)
  await vi.advanceTimersByTimeAsync(250)
  expect(await first).toBe(true)
})
