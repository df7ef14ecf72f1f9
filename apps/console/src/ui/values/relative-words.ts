import { perLocale } from '../../words/per-locale.ts'
import { locale } from '../../words/text.ts'

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/**
 * The styles of relative times. The short forms are used for English only, because in other languages they have full
 * stops or are hard to read.
 */
const relative = perLocale(
  (tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: tag.startsWith('en') ? 'short' : 'long' }),
)
const relativeDay = perLocale((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))
const sameYear = perLocale((tag) => new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short' }))
const otherYear = perLocale((tag) => new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', year: 'numeric' }))
const full = perLocale((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long' }))
const moment = perLocale((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' }))
const clock = perLocale((tag) => new Intl.DateTimeFormat(tag, { timeStyle: 'medium' }))
const shortClock = perLocale((tag) => new Intl.DateTimeFormat(tag, { timeStyle: 'short' }))
const number = perLocale((tag) => new Intl.NumberFormat(tag))
const percent = perLocale((tag) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 }))
const units = perLocale(() => new Map<string, Intl.NumberFormat>())
const unitList = perLocale((tag) => new Intl.ListFormat(tag, { type: 'unit', style: 'narrow' }))
const list = perLocale((tag) => new Intl.ListFormat(tag, { type: 'conjunction' }))

/** Returns "2 min ago", "in 3 hr", or a date if the time is a week or more away. */
export function relativeWords(at: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000)
  const distance = Math.abs(seconds)
  if (distance < 10) return relative().format(0, 'second')
  if (distance >= 7 * 86_400) return dateWords(at, nowMs)
  const [unit, size] = steps.find(([, step]) => distance >= step) ?? ['second', 1]
  // Rounds future times up and past times down.
  const count = Math.trunc((seconds > 0 ? seconds + size / 60 : seconds) / size)
  const words = relative().format(count, unit)
  return locale().language === 'en' ? words.replace('.', '') : words
}

export function fullWords(at: string): string {
  return full().format(new Date(at))
}

/** Returns day and time, as short as possible. */
export function momentWords(at: string | number): string {
  return moment().format(new Date(at))
}

/** Returns "today, 19:15", "tomorrow, 09:00", or day and time. */
export function untilWords(at: string, nowMs = Date.now()): string {
  const time = new Date(at)
  const days = Math.round((midnightOf(time) - midnightOf(new Date(nowMs))) / 86_400_000)
  if (days !== 0 && days !== 1) return momentWords(at)
  return relativeDay().format(days, 'day') + (locale().direction === 'rtl' ? '، ' : ', ') + shortClock().format(time)
}

/** Returns the time of day with seconds. */
export function clockWords(at: string | Date): string {
  return clock().format(new Date(at))
}

export function shortClockWords(at: string | Date): string {
  return shortClock().format(new Date(at))
}

export function numberWords(value: number): string {
  return number().format(value)
}

/** Returns a count for a small space. */
export function shortCount(value: number): string {
  return value > mostShort ? `${numberWords(mostShort)}+` : numberWords(value)
}

const mostShort = 99

/** @param value from 0 to 100 */
export function percentWords(value: number): string {
  return percent().format(value / 100)
}

export function listWords(words: readonly string[]): string {
  return list().format(words)
}

/** Returns a duration: 320 ms, 4.2 sec, 3 min 5 sec, 2 hr 10 min. */
export function durationWords(ms: number): string {
  if (ms < 1_000) return unitWords(ms, 'millisecond', ms < 10 ? 1 : 0)
  if (ms < 60_000) return unitWords(ms / 1000, 'second', ms < 10_000 ? 1 : 0)
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return unitList().format([unitWords(minutes, 'minute'), unitWords(seconds % 60, 'second')])
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return unitList().format([unitWords(hours, 'hour'), unitWords(minutes % 60, 'minute')])
  return unitWords(hours / 24, 'day')
}

export function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return unitWords(bytes / 1_000, 'kilobyte', bytes < 10_000 ? 1 : 0)
  return unitWords(bytes / 1_000_000, 'megabyte', 1)
}

function unitWords(value: number, unit: string, maximumFractionDigits = 0): string {
  const key = `${unit} ${maximumFractionDigits}`
  const known = units().get(key)
  if (known !== undefined) return known.format(value)
  const format = new Intl.NumberFormat(locale().tag, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits,
  })
  units().set(key, format)
  return format.format(value)
}

function dateWords(at: string, nowMs: number): string {
  const date = new Date(at)
  return (date.getFullYear() === new Date(nowMs).getFullYear() ? sameYear() : otherYear()).format(date)
}

function midnightOf(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
