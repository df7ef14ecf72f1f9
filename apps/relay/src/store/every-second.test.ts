import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { everySecond } from './every-second.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

test('calls all works at the same time, once a second, until they are stopped', () => {
  const calls: [string, number][] = []
  const start = (name: string) => everySecond(() => calls.push([name, performance.now()]))
  const stopFirst = start('first')
  vi.advanceTimersByTime(300)
  const stopSecond = start('second')
  vi.advanceTimersByTime(1_700)
  stopFirst()
  vi.advanceTimersByTime(1_000)
  stopSecond()
  vi.advanceTimersByTime(5_000)
  const times = calls.map(([name, atMs]) => [name, Math.round(atMs - (calls[0]?.[1] ?? 0))])
  expect(times).toEqual([
    ['first', 0],
    ['second', 0],
    ['first', 1_000],
    ['second', 1_000],
    ['second', 2_000],
  ])
})
