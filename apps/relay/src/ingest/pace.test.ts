import { expect, test } from 'vitest'
import { EvenPace } from './event-recorder.ts'

test('the first events after a pause do not wait, and further events are spaced evenly', () => {
  const pace = new EvenPace(25, 4)
  expect([0, 0, 0, 0, 0].map((ms) => pace.next(ms))).toEqual([0, 0, 0, 0, 25])
  expect([25, 50, 75].map((ms) => pace.next(ms))).toEqual([25, 25, 25])
})

test('events that are farther apart than the spacing never wait', () => {
  const pace = new EvenPace(25, 1)
  expect([0, 25, 50, 90, 1_000].map((ms) => pace.next(ms))).toEqual([0, 0, 0, 0, 0])
})

test('many events that did not wait delay the next event by at most one interval', () => {
  const pace = new EvenPace(25, 4)
  for (let count = 0; count < 1_000; count += 1) expect(pace.next(0)).toBeLessThanOrEqual(25)
  expect([0, 25, 75].map((ms) => pace.next(ms))).toEqual([25, 25, 0])
})
