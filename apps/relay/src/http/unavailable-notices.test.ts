import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unavailableNotices } from './build-server.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('an outage is logged at once, then once per period with the number of failed requests, until the outage ends', () => {
  const lines: unknown[] = []
  const notice = unavailableNotices({ warn: (details) => lines.push(details) })
  const note = (details: object) => notice(details, 'database unavailable')
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

test('a log line contains the latest reason', () => {
  const lines: string[] = []
  const note = unavailableNotices({ warn: (_, message) => lines.push(message) })
  note({}, 'database unavailable')
  note({}, 'The disk of the database is full')
  vi.advanceTimersByTime(10_000)
  expect(lines).toEqual([
    'requests answered with 503: database unavailable',
    'requests answered with 503: The disk of the database is full',
  ])
})
