import { z } from 'zod'

/** A time in RFC 3339 with any offset, unchanged. */
export const time = z
  .string()
  .refine(
    (text) => epochMsOf(text) !== undefined,
    'must be a time such as 2026-03-01T15:46:11Z or 2026-03-01T15:46:11+07:00',
  )
  .meta({ format: 'date-time', examples: ['2026-03-01T15:46:11+07:00'] })

/** A time in RFC 3339 with any offset, as a Date. */
export const instant = time.pipe(z.transform((text: string) => new Date(epochMsOf(text) ?? 0)))

/** A time in answers of the API: UTC with milliseconds. */
export const utcTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', examples: ['2026-03-01T08:46:11.000Z'] })

/** A time in webhook payloads: the local time of the agent with its offset, never `Z`. */
export const localTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/)
  .meta({ format: 'date-time', examples: ['2026-03-01T15:46:11.000+07:00'] })

// Replaces the space with `+`, because an unencoded `+` in a query arrives as a space.
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?(?:[Zz]|([+\- ])(\d\d):(\d\d))$/

function epochMsOf(text: string): number | undefined {
  const match = RFC_3339.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Six
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  // 60 is a leap second.
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -60_000 : 60_000)
  const epochMs = midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds - offset
  return epochMs >= FIRST && epochMs < END ? epochMs : undefined
}

type Six = [number, number, number, number, number, number]

/** The years 1 to 9999 in UTC, which all formats and the database can represent. */
const FIRST = -62_135_596_800_000
const END = 253_402_300_800_000
