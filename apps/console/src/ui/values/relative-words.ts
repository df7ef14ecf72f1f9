import {
  dayFormat,
  dayOfYearFormat,
  fullFormat,
  listFormat,
  momentFormat,
  numberFormat,
  percentFormat,
  relativeDayFormat,
  relativeFormat,
  timeFormat,
  timeWithSecondsFormat,
  unitFormat,
  unitListFormat,
} from '../../words/formats.ts'
import { inOnePiece, locale } from '../../words/text.ts'

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** Returns "2 min ago", "in 3 hr", or a date if the time is a week or more away. */
export function relativeWords(at: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000)
  const distance = Math.abs(seconds)
  if (distance < 10) return relativeFormat().format(0, 'second')
  if (distance >= 7 * 86_400) return dateWords(at, nowMs)
  const [unit, size] = steps.find(([, step]) => distance >= step) ?? ['second', 1]
  // Rounds future times up and past times down.
  const count = Math.trunc((seconds > 0 ? seconds + size / 60 : seconds) / size)
  return withShortUnit(relativeFormat().format(count, unit))
}

export function fullWords(at: string): string {
  return fullFormat().format(new Date(at))
}

/** Returns day and time, as short as possible. */
export function momentWords(at: string | number): string {
  return momentFormat().format(new Date(at))
}

/** Returns "today, 19:15", "tomorrow, 09:00", or day and time. */
export function untilWords(at: string, nowMs = Date.now()): string {
  const time = new Date(at)
  const days = daysBetween(new Date(nowMs), time)
  if (days !== 0 && days !== 1) return momentWords(at)
  return relativeDayFormat().format(days, 'day') + (locale().direction === 'rtl' ? '، ' : ', ') + shortClockWords(time)
}

/** Returns the time of day with seconds. */
export function clockWords(at: string | Date): string {
  return timeWithSecondsFormat().format(new Date(at))
}

export function shortClockWords(at: string | Date): string {
  return timeFormat().format(new Date(at))
}

export function numberWords(value: number): string {
  return numberFormat().format(value)
}

/** Returns a count for a small space. The plus sign stays on the right of the digits in right-to-left text. */
export function shortCount(value: number): string {
  return value > mostShort ? inOnePiece(`${numberWords(mostShort)}+`) : numberWords(value)
}

const mostShort = 99

/** @param value from 0 to 100 */
export function percentWords(value: number): string {
  return percentFormat().format(value / 100)
}

export function listWords(words: readonly string[]): string {
  return listFormat().format(words)
}

/** Returns a duration: 320 ms, 4.2 sec, 3 min 5 sec, 2 hr 10 min. */
export function durationWords(ms: number): string {
  return partsOf(ms, false)
}

/** Returns the time since an earlier step: +320 ms. */
export function addedDurationWords(ms: number): string {
  return partsOf(ms, true)
}

function partsOf(ms: number, isSigned: boolean): string {
  if (ms < 1_000) return unitWords(ms, { unit: 'millisecond', fractionDigits: ms < 10 ? 1 : 0, isSigned })
  if (ms < 60_000) return unitWords(ms / 1000, { unit: 'second', fractionDigits: ms < 10_000 ? 1 : 0, isSigned })
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return unitWords(hours / 24, { unit: 'day', isSigned })
  return unitListFormat().format(
    hours === 0
      ? [unitWords(minutes, { unit: 'minute', isSigned }), unitWords(seconds % 60, { unit: 'second' })]
      : [unitWords(hours, { unit: 'hour', isSigned }), unitWords(minutes % 60, { unit: 'minute' })],
  )
}

/** Distances between the ticks of an axis of durations, so that each tick is a round number of its unit. */
export const durationStepsMs: readonly number[] = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800].map((seconds) => seconds * 1_000),
  ...[1, 2, 6, 12, 24, 48, 120, 240].map((hours) => hours * 3_600_000),
]

/** Returns the words of the ticks of an axis. All ticks have the unit that fits the largest. */
export function durationTicks(ticksMs: readonly number[]): string[] {
  const most = Math.max(0, ...ticksMs)
  const { unit, ms } = units.find(({ from, ms }) => most >= from * ms) ?? smallest
  return ticksMs.map((tick) => unitWords(tick / ms, { unit, fractionDigits: 1 }))
}

const smallest = { unit: 'millisecond', ms: 1, from: 0 } as const

/** The units, each used from this number of it on. */
const units = [
  { unit: 'day', ms: 86_400_000, from: 2 },
  { unit: 'hour', ms: 3_600_000, from: 2 },
  { unit: 'minute', ms: 60_000, from: 2 },
  { unit: 'second', ms: 1_000, from: 1 },
  smallest,
] as const

export function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return unitWords(bytes / 1_000, { unit: 'kilobyte', fractionDigits: bytes < 10_000 ? 1 : 0 })
  return unitWords(bytes / 1_000_000, { unit: 'megabyte', fractionDigits: 1 })
}

/** The number of midnights from one time to a later one. */
export function daysBetween(from: Date, to: Date): number {
  return Math.round((midnightOf(to) - midnightOf(from)) / 86_400_000)
}

function unitWords(value: number, style: Parameters<typeof unitFormat>[0]): string {
  return withShortUnit(unitFormat(style).format(value))
}

/** English regions differ: 14 sec, 14 secs, 14 sec. All times and durations have the first form. */
function withShortUnit(words: string): string {
  return locale().language === 'en' ? words.replace(/\b(sec|min|hr)(?:s\b)?\.?/, '$1') : words
}

function dateWords(at: string, nowMs: number): string {
  const date = new Date(at)
  return (date.getFullYear() === new Date(nowMs).getFullYear() ? dayFormat() : dayOfYearFormat()).format(date)
}

function midnightOf(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
