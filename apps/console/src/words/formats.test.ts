import { afterEach, describe, expect, test } from 'vitest'
import { shortDayWords } from '../ui/values/day-words.ts'
import { addedDurationWords, momentWords, relativeWords, untilWords } from '../ui/values/relative-words.ts'
import { dayFormat, dayOfYearFormat, momentFormat, timeFormat, weekdayDateFormat } from './formats.ts'
import { chooseLocale, languages } from './language.ts'
import { loadLocale } from './text.ts'

const use = (tag: string) => loadLocale(chooseLocale(null, [tag]))
const time = new Date(2037, 0, 1, 12, 30)

afterEach(() => use('en'))

const tags = [...languages.map(({ code }) => code), 'en-GB', 'de-CH', 'es-MX', 'ar-EG', 'ar-SA', 'ar-MA']

describe.each(tags)('in %s', (tag) => {
  test('all dates name the month with the same word, not with a number', async () => {
    await use(tag)
    const months = [dayFormat(), dayOfYearFormat(), weekdayDateFormat(), momentFormat()].map(
      (format) => format.formatToParts(time).find(({ type }) => type === 'month')?.value,
    )
    expect(months[0]).toMatch(/\p{L}/u)
    expect(new Set(months).size).toBe(1)
  })

  test('dates have Western digits and the Gregorian year, as phone numbers and log lines', async () => {
    await use(tag)
    const at = time.toISOString()
    for (const words of [momentWords(at), untilWords(at, 0), relativeWords(at, 0)]) expect(words).toContain('2037')
    expect(shortDayWords(at)).toMatch(/\b1\b/)
  })

  test('a time of day has the same form alone and after a date', async () => {
    await use(tag)
    const morning = new Date(2037, 0, 1, 8, 5)
    expect(momentFormat().format(morning)).toContain(timeFormat().format(morning))
  })

  test('the sign of an added duration stands in front of its digits, whatever the direction of the text', async () => {
    await use(tag)
    // A left-to-right mark keeps the sign on the left of the digits in right-to-left text.
    const isRightToLeft = tag.startsWith('ar')
    for (const ms of [8, 110, 4_200, 65_000, 7_800_000, 400_000_000])
      expect(addedDurationWords(ms)).toMatch(isRightToLeft ? /^\u2066?\u200e\+\d/ : /^\+\d/)
  })
})

test.each(['en-GB', 'en-US', 'en-AU'])('durations in %s have the units of the time that has passed', async (tag) => {
  await use(tag)
  const at = new Date(2037, 0, 1, 12)
  expect(relativeWords(at.toISOString(), at.getTime() + 14_000)).toBe('14 sec ago')
  expect([14_000, 185_000, 7_800_000].map(addedDurationWords)).toEqual(['+14 sec', '+3 min 5 sec', '+2 hr 10 min'])
})
