import { perLocale } from '../../words/per-locale.ts'

const weekday = perLocale((tag) => new Intl.DateTimeFormat(tag, { weekday: 'long' }))
const date = perLocale((tag) => new Intl.DateTimeFormat(tag, { weekday: 'short', day: 'numeric', month: 'long' }))
const dateOfYear = perLocale((tag) => new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'long', year: 'numeric' }))
const shortDate = perLocale((tag) => new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short' }))
const relativeDay = perLocale((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))

const dayMs = 86_400_000

/** Returns "Today", "Yesterday", a weekday, or a date. */
export function dayWords(at: string, nowMs: number): string {
  const then = new Date(at)
  const now = new Date(nowMs)
  const days = Math.round((midnightOf(now) - midnightOf(then)) / dayMs)
  if (days === 0 || days === 1) return capitalised(relativeDay().format(-days, 'day'))
  if (days > 1 && days < 7) return capitalised(weekday().format(then))
  return (then.getFullYear() === now.getFullYear() ? date() : dateOfYear()).format(then)
}

/** Returns a short date. */
export function shortDayWords(at: string): string {
  return shortDate().format(new Date(at))
}

/** Returns true for the first entry of a day. Today needs no heading if there is no earlier entry. */
export function beginsDay(before: string | undefined, at: string, nowMs = Date.now()): boolean {
  return new Date(before ?? nowMs).toDateString() !== new Date(at).toDateString()
}

function midnightOf(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}

function capitalised(word: string): string {
  return word.slice(0, 1).toLocaleUpperCase() + word.slice(1)
}
