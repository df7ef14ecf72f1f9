import { expect, test } from 'vitest'
import { ManualClock } from './manual-clock.ts'
import { seededRandom } from './random.ts'

test('runs timers by time, then by the order in which they were set', () => {
  const clock = new ManualClock(1000)
  const random = seededRandom(2)
  const seen: [number, number][] = []
  for (let index = 0; index < 500; index++) {
    const atMs = random.integer(50)
    clock.after(atMs, () => seen.push([clock.nowMs(), index]))
  }
  clock.advance(100)
  expect(seen).toHaveLength(500)
  expect(seen).toEqual([...seen].sort(([a, i], [b, j]) => a - b || i - j))
  expect(clock.epochMs()).toBe(1100)
})

test('skips cancelled timers and runs timers set meanwhile', () => {
  const clock = new ManualClock()
  const seen: string[] = []
  const cancelled = clock.after(5, () => seen.push('never'))
  clock.after(1, () => {
    cancelled.cancel()
    clock.after(1, () => seen.push('caused'))
  })
  expect(clock.nextAtMs).toBe(1)
  clock.advance(4)
  expect(seen).toEqual(['caused'])
  expect(clock.nextAtMs).toBeUndefined()
})
