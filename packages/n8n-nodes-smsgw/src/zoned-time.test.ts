import { expect, test } from 'vitest'
import { zonedTime } from './zoned-time.ts'

test.each([
  ['2026-03-01T15:00:00Z', 'Europe/Berlin', '2026-03-01T15:00:00Z'],
  ['2026-03-01T15:00:00+07:00', 'Europe/Berlin', '2026-03-01T15:00:00+07:00'],
  ['2026-03-01T15:00:00', 'Europe/Berlin', '2026-03-01T14:00:00.000Z'],
  ['2026-07-01 15:00:00', 'Europe/Berlin', '2026-07-01T13:00:00.000Z'],
  ['2026-03-01T15:00:00', 'America/St_Johns', '2026-03-01T18:30:00.000Z'],
  ['2026-03-01T15:00:00', 'UTC', '2026-03-01T15:00:00.000Z'],
])('%s in %s is %s', (text, zone, expected) => {
  expect(zonedTime(text, zone)).toBe(expected)
})

test('a text that is not a time is refused', () => {
  expect(() => zonedTime('soon', 'UTC')).toThrow('"soon" is not a time')
})
