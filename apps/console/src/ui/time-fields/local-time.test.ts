import { afterEach, expect, test } from 'vitest'
import { chooseLocale } from '../../words/language.ts'
import { loadLocale } from '../../words/text.ts'
import { dayTimeWords, localMinute, minutePattern, minuteWords, readDayTime, readMinute } from './local-time.ts'

const use = (tag: string) => loadLocale(chooseLocale(null, [tag]))

afterEach(() => use('en'))

const tags = ['en-US', 'en-GB', 'en-CA', 'de-DE', 'de-AT', 'es-ES', 'es-MX', 'es-US', 'ar-EG', 'ar-SA', 'ar-MA']

test.each(tags)('a time is read as it is shown in %s', async (tag) => {
  await use(tag)
  for (const minute of ['2026-11-28T23:05', '2027-01-02T00:30', '2027-01-02T12:00', '2027-02-01T09:59'])
    expect(readMinute(minuteWords(minute)), minuteWords(minute)).toBe(minute)
  for (const time of ['00:00', '08:30', '12:15', '23:59']) expect(readDayTime(dayTimeWords(time))).toBe(time)
})

test.each([
  ['en-US', '11/28/2026, 11:00 PM', 'MM/DD/YYYY, hh:mm AM'],
  ['en-GB', '28/11/2026, 23:00', 'DD/MM/YYYY, hh:mm'],
  ['de-DE', '28.11.2026, 23:00', 'TT.MM.JJJJ, hh:mm'],
  ['es-ES', '28/11/2026, 23:00', 'DD/MM/AAAA, hh:mm'],
])('in %s, a time is shown as %s', async (tag, shown, pattern) => {
  await use(tag)
  expect(minuteWords('2026-11-28T23:00').replaceAll('\u202f', ' ')).toBe(shown)
  expect(minutePattern().replaceAll('\u202f', ' ')).toBe(pattern)
})

test.each([
  ['en-GB', '2026-11-28T23:00'],
  ['en-GB', '2026-11-28 23:00'],
  ['en-GB', '28.11.26 11:00 pm'],
  ['en-US', '11/28/2026 11:00p.m.'],
  ['de-DE', '28.11.2026 23:00 Uhr'],
  ['ar-EG', '٢٨/١١/٢٠٢٦ ٢٣:٠٠'],
])('in %s, %s is understood', async (tag, text) => {
  await use(tag)
  expect(readMinute(text)).toBe('2026-11-28T23:00')
})

test.each([
  '',
  'tomorrow',
  '28.11.2026',
  '31.02.2027 09:00',
  '28.13.2026 09:00',
  '28.11.2026 24:00',
  '28.11.2026 9:5',
  '28.11.2026 13:00 pm',
  '28.11.2026 9:00 noon',
  '28.11.2026 9:00 bis 10:00',
])('"%s" is not a time', async (text) => {
  await use('de-DE')
  expect(readMinute(text)).toBeUndefined()
})

test.each([
  ['9:30', '09:30'],
  ['09:30', '09:30'],
  ['09:30:59', '09:30'],
  ['09:30 - 17:00', undefined],
  ['09', undefined],
])('"%s" is read as the time of day %s', (text, time) => {
  expect(readDayTime(text)).toBe(time)
})

test('a local minute has the form of a field without a zone', () => {
  expect(localMinute(new Date(2026, 10, 8, 7, 5))).toBe('2026-11-08T07:05')
})
