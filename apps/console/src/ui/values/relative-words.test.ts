import { afterEach, expect, test } from 'vitest'
import { chooseLocale } from '../../words/language.ts'
import { loadLocale } from '../../words/text.ts'
import { durationTicks, durationWords, relativeWords, shortCount, sizeWords, untilWords } from './relative-words.ts'

const now = Date.parse('2026-03-01T12:00:00.000Z')
const before = (seconds: number) => new Date(now - seconds * 1000).toISOString()

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

test('shows "now", then minutes, hours and days, then a date, with the year if it is not the current year', () => {
  expect(relativeWords(before(4), now)).toBe('now')
  expect(relativeWords(before(125), now)).toBe('2 min ago')
  expect(relativeWords(before(-7_300), now)).toBe('in 2 hr')
  expect(relativeWords(before(-86_390), now)).toBe('in 24 hr')
  expect(relativeWords(before(-5_400), now)).toBe('in 1 hr')
  expect(relativeWords(before(7_190), now)).toBe('1 hr ago')
  expect(relativeWords(before(86_400), now)).toBe('yesterday')
  expect(relativeWords(before(30 * 86_400), now)).not.toContain('2026')
  expect(relativeWords(before(300 * 86_400), now)).toContain('2025')
})

test('the end of a wait has a date only if it is after tomorrow', () => {
  const noon = new Date(2026, 2, 1, 12).getTime()
  const inHours = (hours: number) => untilWords(new Date(noon + hours * 3_600_000).toISOString(), noon)
  expect([inHours(7.25), inHours(21), inHours(-13)]).toEqual([
    expect.stringMatching(/^today, .*15/),
    expect.stringMatching(/^tomorrow, .*00/),
    expect.stringContaining('Feb'),
  ])
  expect(inHours(48)).toContain('2026')
})

test('a duration has the unit that fits it', () => {
  const written = [0.26, 8, 320, 4_230, 42_000, 185_000, 7_800_000, 400_000_000].map(durationWords)
  expect(written).toEqual(['0.3 ms', '8 ms', '320 ms', '4.2 sec', '42 sec', '3 min 5 sec', '2 hr 10 min', '5 days'])
})

test('a size has the unit that fits it', () => {
  expect([512, 114_768, 8_500_000].map(sizeWords)).toEqual(['0.5 kB', '115 kB', '8.5 MB'])
})

test('a count for a small space has at most two digits', () => {
  expect([0, 99, 100, 3_800].map(shortCount)).toEqual(['0', '99', '99+', '99+'])
})

test('all ticks of an axis have one unit, which fits the largest', () => {
  expect(durationTicks([0, 0.2, 0.4])).toEqual(['0 ms', '0.2 ms', '0.4 ms'])
  expect(durationTicks([0, 200, 400])).toEqual(['0 ms', '200 ms', '400 ms'])
  expect(durationTicks([0, 500, 1_000, 1_500])).toEqual(['0 sec', '0.5 sec', '1 sec', '1.5 sec'])
  expect(durationTicks([0, 30_000, 60_000, 90_000, 120_000])).toEqual(['0 min', '0.5 min', '1 min', '1.5 min', '2 min'])
  expect(durationTicks([0, 3_600_000, 7_200_000])).toEqual(['0 hr', '1 hr', '2 hr'])
})

test('the ticks of an axis are in the language of the page', async () => {
  await loadLocale(chooseLocale('de', ['de']))
  expect(durationTicks([0, 500, 1_000])).toEqual(['0 Sek.', '0,5 Sek.', '1 Sek.'])
})
