import { expect, test } from 'vitest'
import { beginsDay, dayWords } from './day-words.ts'

const noon = new Date(2026, 2, 10, 12).getTime()
const hoursAgo = (hours: number) => new Date(noon - hours * 3_600_000).toISOString()

test('shows today, yesterday, a weekday, or a date with its year', () => {
  expect([0, 24, 72].map((hours) => dayWords(hoursAgo(hours), noon))).toEqual(['Today', 'Yesterday', 'Saturday'])
  expect(dayWords(hoursAgo(400 * 24), noon)).toContain('2025')
})

test('a day has a heading where it begins, but today only if it follows another day', () => {
  expect(beginsDay(undefined, hoursAgo(1), noon)).toBe(false)
  expect(beginsDay(undefined, hoursAgo(24), noon)).toBe(true)
  expect(beginsDay(hoursAgo(24), hoursAgo(23), noon)).toBe(false)
  expect(beginsDay(hoursAgo(24), hoursAgo(1), noon)).toBe(true)
})
