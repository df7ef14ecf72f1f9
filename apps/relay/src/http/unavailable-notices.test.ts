import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unavailableNotices } from './unavailable-notices.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('an outage is logged at once, then once in each period with the number of failed requests, until it ends', () => {
  const lines: unknown[] = []
  const note = unavailableNotices({ warn: (details) => lines.push(details) }, 10_000)
  for (let request = 1; request <= 1_000; request++) note({ requestId: String(request) })
  expect(lines.splice(0)).toEqual([{ requestId: '1', requests: 1 }])
  vi.advanceTimersByTime(10_000)
  expect(lines.splice(0)).toEqual([{ requestId: '1000', requests: 999 }])
  note({ requestId: 'one more' })
  vi.advanceTimersByTime(10_000)
  expect(lines.splice(0)).toEqual([{ requestId: 'one more', requests: 1 }])
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([])
  note({ requestId: 'the next outage' })
  expect(lines).toEqual([{ requestId: 'the next outage', requests: 1 }])
})
