import { afterEach, expect, test, vi } from 'vitest'
import { monotonicClock } from './monotonic-clock.ts'

afterEach(() => {
  vi.useRealTimers()
})

const day = 24 * 60 * 60_000

test.each([1, 30, 365])('a timer of %i days fires after that time', (days) => {
  vi.useFakeTimers()
  const run = vi.fn()
  monotonicClock.after(days * day, run)
  vi.advanceTimersByTime(days * day - 1)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(run).toHaveBeenCalledOnce()
})

test('a long timer can be cancelled at any time', () => {
  vi.useFakeTimers()
  const run = vi.fn()
  const timer = monotonicClock.after(60 * day, run)
  vi.advanceTimersByTime(50 * day)
  timer.cancel()
  vi.advanceTimersByTime(50 * day)
  expect(run).not.toHaveBeenCalled()
})
