import { expect, test } from 'vitest'
import { localTime, localTimeText } from './local-time.ts'

test.each([
  ['2026-03-01T15:46:11.000+07:00', '2026-03-01T15:46:11.000+07:00', 420],
  ['2026-03-01T15:46:11+05:45', '2026-03-01T15:46:11.000+05:45', 345],
  ['2026-01-01T00:30:00.123-09:30', '2026-01-01T00:30:00.123-09:30', -570],
  ['2026-03-01T08:46:11.5Z', '2026-03-01T08:46:11.500+00:00', 0],
])('%s is told as %s', (text, told, offsetMinutes) => {
  const time = localTime(text)
  expect(time).toEqual({ at: new Date(text), offsetMinutes })
  expect(localTimeText(time)).toBe(told)
})
