import { locale } from './text.ts'

// All formats of dates, times, numbers and units of the console. A date always has the month as a short word, so that
// every date on a page has the same form. The exceptions are the fields in which a person types a date, and the full
// date in a tooltip. A rule refuses formats elsewhere.

const date = { day: 'numeric', month: 'short' } as const
const dateOfYear = { ...date, year: 'numeric' } as const
const time = { hour: 'numeric', minute: '2-digit' } as const
/** For clocks of 24 hours. Otherwise some browsers write 09:30 alone, and 9:30 after a date. */
const hour = { hour: '2-digit' } as const

/** 1 Jan */
export const dayFormat = dates(date)
/** 1 Jan 2037 */
export const dayOfYearFormat = dates(dateOfYear)
/** Thu, 1 Jan */
export const weekdayDateFormat = dates({ weekday: 'short', ...date })
/** Thursday */
export const weekdayFormat = dates({ weekday: 'long' })
/** Thu 1, for a tick of an axis */
export const weekdayTickFormat = dates({ weekday: 'short', day: 'numeric' })
/** 1 Jan 2037, 09:30 */
export const momentFormat = dates({ ...dateOfYear, ...time })
/** 09:30 */
export const timeFormat = dates(time)
/** 09:30:05 */
export const timeWithSecondsFormat = dates({ ...time, second: '2-digit' })
/** The full date and time, for a tooltip */
export const fullFormat = dates({ dateStyle: 'full', timeStyle: 'long' })
/** 01/01/2037, 09:30, in a field in which a person types it */
export const minuteFieldFormat = dates({
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
})
/** 09:30, in a field in which a person types it */
export const timeFieldFormat = dates({ hour: '2-digit', minute: '2-digit' })
/** 9 AM, which contains the word for the half of the day */
export const halfDayFormat = dates({ hour: 'numeric', hour12: true })

/**
 * 2 min ago. The short forms are used for English only, because in other languages they have full stops or are hard to
 * read.
 */
export const relativeFormat = perLocale(
  (tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: tag.startsWith('en') ? 'short' : 'long' }),
)
/** Today, yesterday, tomorrow */
export const relativeDayFormat = perLocale((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))

export const numberFormat = perLocale((tag) => new Intl.NumberFormat(tag))
export const percentFormat = perLocale(
  (tag) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 }),
)
/** 3 min 5 sec */
export const unitListFormat = perLocale((tag) => new Intl.ListFormat(tag, { type: 'unit', style: 'narrow' }))
/** Alice, Bob and Carol */
export const listFormat = perLocale((tag) => new Intl.ListFormat(tag, { type: 'conjunction' }))

interface UnitStyle {
  readonly unit: 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'kilobyte' | 'megabyte'
  readonly fractionDigits?: number
  /** True if a positive number has a plus sign. */
  readonly isSigned?: boolean
}

/** 320 ms, 4.2 sec, 8.5 MB */
export function unitFormat({ unit, fractionDigits = 0, isSigned = false }: UnitStyle): Intl.NumberFormat {
  const key = `${unit} ${fractionDigits} ${isSigned}`
  const known = unitFormats().get(key)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat(locale().tag, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: fractionDigits,
    signDisplay: isSigned ? 'exceptZero' : 'auto',
  })
  unitFormats().set(key, format)
  return format
}

const unitFormats = perLocale(() => new Map<string, Intl.NumberFormat>())

function dates(options: Intl.DateTimeFormatOptions): () => Intl.DateTimeFormat {
  return perLocale((tag) => {
    const format = new Intl.DateTimeFormat(tag, options)
    return options.hour === 'numeric' && options.hour12 === undefined && format.resolvedOptions().hourCycle === 'h23'
      ? new Intl.DateTimeFormat(tag, { ...options, ...hour })
      : format
  })
}

/** Creates a formatter at its first use, when the locale of the page is known. */
function perLocale<Formatter>(create: (tag: string) => Formatter): () => Formatter {
  let made: { readonly tag: string; readonly formatter: Formatter } | undefined
  return () => {
    const { tag } = locale()
    if (made?.tag !== tag) made = { tag, formatter: create(tag) }
    return made.formatter
  }
}
