import { expect, test } from 'vitest'
import { eventTime, localTimeOf, localTimeText } from './local-time.ts'

test.each([
  ['2026-03-01T15:46:11.000+07:00', '2026-03-01T15:46:11.000+07:00', 420],
  ['2026-03-01T15:46:11+05:45', '2026-03-01T15:46:11.000+05:45', 345],
  ['2026-01-01T00:30:00.123-09:30', '2026-01-01T00:30:00.123-09:30', -570],
  ['2026-03-01T08:46:11.5Z', '2026-03-01T08:46:11.500+00:00', 0],
])('%s becomes %s', (text, local, offsetMinutes) => {
  const time = localTimeOf(text)
  expect(time).toEqual({ at: new Date(text), offsetMinutes })
  expect(localTimeText(time)).toBe(local)
})

test.each([
  ['keeps a time in the past', '2026-03-01T11:00:00.000+00:00', '2026-03-01T11:00:00.000+00:00'],
  ['replaces a future time by the present', '2026-03-01T15:00:00.000+01:00', '2026-03-01T12:00:00.000+00:00'],
  [
    'replaces a time of a clock that started in 1970 by the present',
    '1970-01-01T00:00:00.000+00:00',
    '2026-03-01T12:00:00.000+00:00',
  ],
])('%s', (_, local, at) => {
  expect(eventTime(local, new Date('2026-03-01T12:00:00.000Z')).at).toEqual(new Date(at))
})
