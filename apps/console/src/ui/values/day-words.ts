import { dayFormat, dayOfYearFormat, relativeDayFormat, weekdayDateFormat, weekdayFormat } from '../../words/formats.ts'
import { locale } from '../../words/text.ts'
import { daysBetween } from './relative-words.ts'

/** Returns "Today", "Yesterday", a weekday, or a date. */
export function dayWords(at: string, nowMs: number): string {
  const then = new Date(at)
  const now = new Date(nowMs)
  const days = daysBetween(then, now)
  if (days === 0 || days === 1) return capitalised(relativeDayFormat().format(-days, 'day'))
  if (days > 1 && days < 7) return capitalised(weekdayFormat().format(then))
  return (then.getFullYear() === now.getFullYear() ? weekdayDateFormat() : dayOfYearFormat()).format(then)
}

/** Returns a short date. */
export function shortDayWords(at: string): string {
  return dayFormat().format(new Date(at))
}

/** Returns true for the first entry of a day. Today needs no heading if there is no earlier entry. */
export function beginsDay(before: string | undefined, at: string, nowMs = Date.now()): boolean {
  return new Date(before ?? nowMs).toDateString() !== new Date(at).toDateString()
}

function capitalised(word: string): string {
  return word.slice(0, 1).toLocaleUpperCase(locale().tag) + word.slice(1)
}
