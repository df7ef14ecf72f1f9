import { halfDayFormat, minuteFieldFormat, timeFieldFormat } from '../../words/formats.ts'
import { t } from '../../words/text.ts'

// A local minute is an ISO time without a zone, such as 2026-11-28T23:00, and a time of day has the form 09:30. The
// fields of the console show both in the format of its language. The date fields of the browser are not used, because
// they follow the language of the browser.

/** The words for the halves of the day, such as "AM" and "PM". */
function halves() {
  const halfAt = (hour: number) =>
    halfDayFormat()
      .formatToParts(new Date(2026, 0, 1, hour))
      .find(({ type }) => type === 'dayPeriod')?.value ?? ''
  return { morning: lettersOf(halfAt(1)), afternoon: lettersOf(halfAt(13)) }
}

/** Returns the time as a local minute. */
export function localMinute(time: Date): string {
  const of = (value: number, length = 2) => String(value).padStart(length, '0')
  const date = `${of(time.getFullYear(), 4)}-${of(time.getMonth() + 1)}-${of(time.getDate())}`
  return `${date}T${of(time.getHours())}:${of(time.getMinutes())}`
}

export function isLocalMinute(text: string): boolean {
  const time = new Date(text)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(time.getTime())
}

export function isDayTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)
}

/** Returns a local minute in the words of the locale, and any other text unchanged. */
export function minuteWords(minute: string): string {
  return isLocalMinute(minute) ? minuteFieldFormat().format(new Date(minute)) : minute
}

/** Returns a time of day in the words of the locale, and any other text unchanged. */
export function dayTimeWords(time: string): string {
  return isDayTime(time) ? timeFieldFormat().format(new Date(`2026-01-01T${time}`)) : time
}

/** Returns the local minute that a text describes in the format of the locale or of ISO 8601. */
export function readMinute(text: string): string | undefined {
  const numbers = numbersIn(text)
  if (numbers.length !== 5) return undefined
  const order = dateStartsWithYear(text) ? (['year', 'month', 'day'] as const) : dateOrder()
  const date = Object.fromEntries(order.map((part, at) => [part, numbers[at] ?? '']))
  const { year = '', month = '', day = '' } = date
  const time = timeOf(numbers.slice(3), text)
  if (time === undefined || (year.length !== 2 && year.length !== 4) || month.length > 2 || day.length > 2)
    return undefined
  const minute = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time}`
  // Refuses a date such as 31 February, which `Date` reads as a day of March.
  return isLocalMinute(minute) && localMinute(new Date(minute)).startsWith(minute.slice(0, 10)) ? minute : undefined
}

/** Returns the time of day that a text describes, with the words of the locale for the halves of the day. */
export function readDayTime(text: string): string | undefined {
  const numbers = numbersIn(text)
  // A third number is the second, in a time that was pasted from elsewhere.
  return numbers.length === 2 || (numbers.length === 3 && Number(numbers[2]) < 60) ? timeOf(numbers, text) : undefined
}

/** Returns the format of a local minute, for example "DD/MM/YYYY, hh:mm". */
export function minutePattern(): string {
  const [day = '', month = '', year = '', hour = '', minute = ''] = t('time.letters').split(' ')
  const letters: Readonly<Record<string, string>> = { day, month, year, hour, minute }
  return minuteFieldFormat()
    .formatToParts(new Date(2026, 0, 2, 9))
    .map(({ type, value }) => letters[type] ?? value)
    .join('')
}

function dateOrder() {
  return minuteFieldFormat()
    .formatToParts(new Date(2026, 0, 2, 9))
    .flatMap(({ type }) => (type === 'day' || type === 'month' || type === 'year' ? [type] : []))
}

function dateStartsWithYear(text: string): boolean {
  return /^\D*\d{4}/.test(westernDigits(text))
}

function timeOf([hour = '', minute = '']: readonly string[], text: string): string | undefined {
  const half = lettersOf(text)
  const { morning, afternoon } = halves()
  const isAfternoon = [afternoon, 'pm', 'p'].includes(half)
  const isHalved = isAfternoon || [morning, 'am', 'a'].includes(half)
  // Refuses unknown words, because they may change the meaning.
  if (!isHalved && !['', 't', 'uhr', 'h'].includes(half)) return undefined
  if (isHalved && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const hours = isHalved ? (Number(hour) % 12) + (isAfternoon ? 12 : 0) : hour
  const time = `${String(hours).padStart(2, '0')}:${minute}`
  return isDayTime(time) ? time : undefined
}

function numbersIn(text: string): readonly string[] {
  return westernDigits(text).match(/\d+/g) ?? []
}

/** Replaces Arabic and Persian digits. */
function westernDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}]/gu, '').toLowerCase()
}
