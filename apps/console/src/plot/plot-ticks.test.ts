import { expect, test } from 'vitest'
import { durationStepsMs } from '../ui/values/relative-words.ts'
import { ticksUpTo, wholeSteps } from './plot-ticks.ts'

test('no value is above the highest tick, and ticks are at least 30 pixels apart', () => {
  for (const steps of [wholeSteps, durationStepsMs])
    for (const height of [72, 122, 162])
      for (const most of [0, 0.3, 1, 1.1, 9, 10, 26_400, 4_000_000, 3e9]) {
        const ticks = ticksUpTo(most, height, steps)
        expect(ticks[0]).toBe(0)
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(height / (ticks.length - 1)).toBeGreaterThanOrEqual(30)
      }
})

test('ticks are round numbers', () => {
  expect(ticksUpTo(9, 162, wholeSteps)).toEqual([0, 2, 4, 6, 8, 10])
  expect(ticksUpTo(100, 142, wholeSteps)).toEqual([0, 25, 50, 75, 100])
  expect(ticksUpTo(26_400, 122, durationStepsMs)).toEqual([0, 10_000, 20_000, 30_000])
})

test('a value on a tick needs no higher tick, even if it cannot be divided exactly', () => {
  expect(ticksUpTo(0.3, 72, [0.1, 0.2, 0.5])).toEqual([0, 0.2, 0.4])
  expect(ticksUpTo(0.3, 92, [0.1, 0.2, 0.5])).toHaveLength(4)
})
