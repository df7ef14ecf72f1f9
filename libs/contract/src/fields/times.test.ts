import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instant, localTime, time, utcTime } from './times.ts'

test.each([
  ['2026-03-01T08:46:11Z', '2026-03-01T08:46:11.000Z'],
  ['2026-03-01T15:46:11.250+07:00', '2026-03-01T08:46:11.250Z'],
  ['2026-02-28T23:00:00-10:30', '2026-03-01T09:30:00.000Z'],
  ['2026-03-01t08:46:11.123456789z', '2026-03-01T08:46:11.123Z'],
  ['2026-03-01T08:46:11.5Z', '2026-03-01T08:46:11.500Z'],
  ['2026-03-01T15:46:11 07:00', '2026-03-01T08:46:11.000Z'],
  ['2026-03-01 08:46:11Z', '2026-03-01T08:46:11.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
])('parses %s with its offset', (text, moment) => {
  expect(instant.parse(text).toISOString()).toBe(moment)
  expect(time.parse(text)).toBe(text)
})

test.each([
  '2026-03-01',
  '2026-03-01T08:46Z',
  '2026-03-01T08:46:11',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-03-00T00:00:00Z',
  '2026-03-01T24:00:00Z',
  '2026-03-01T00:60:00Z',
  '2026-03-01T00:00:61Z',
  '2026-03-01T00:00:00+24:00',
  '2026-03-01T00:00:00+07',
  '2026-03-01T00:00:00.Z',
  '+010000-01-01T00:00:00Z',
  '1772354771',
  ' 2026-03-01T08:46:11Z',
  '',
])('refuses %j as a time', (text) => {
  expect(instant.safeParse(text).success).toBe(false)
})

test('refuses times outside the years 1 to 9999 in UTC', () => {
  expect(instant.safeParse('0001-01-01T00:00:00+00:01').success).toBe(false)
  expect(instant.safeParse('9999-12-31T23:59:59-00:01').success).toBe(false)
  expect(instant.parse('9999-12-31T23:59:59.999Z').toISOString()).toBe('9999-12-31T23:59:59.999Z')
})

test('accepts UTC with milliseconds in answers and the offset of the agent in payloads', () => {
  for (const [schema, good] of [
    [utcTime, '2026-03-01T08:46:11.000Z'],
    [localTime, '2026-03-01T15:46:11.000+07:00'],
    [localTime, '2026-03-01T08:46:11.000+00:00'],
  ] as const)
    expect(schema.safeParse(good).success, good).toBe(true)
  for (const [schema, bad] of [
    [utcTime, '2026-03-01T08:46:11Z'],
    [utcTime, '2026-03-01T08:46:11.000+00:00'],
    [localTime, '2026-03-01T08:46:11.000Z'],
    [localTime, '2026-03-01T15:46:11+07:00'],
  ] as const)
    expect(schema.safeParse(bad).success, bad).toBe(false)
})

test('parses any moment with any offset to the same moment', () => {
  const moments = fc.date({
    min: new Date('0002-01-01T00:00:00Z'),
    max: new Date('9998-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moments, fc.integer({ min: -1439, max: 1439 }), (moment, minutes) => {
      const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1)
      const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
      const offset = `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
      expect(instant.parse(local + offset)).toEqual(moment)
    }),
  )
})
