/** A moment with the UTC offset of the agent's clock, because payloads contain the agent's local time. */
export interface LocalTime {
  readonly at: Date
  readonly offsetMinutes: number
}

/** Parses a time in the format of RFC 3339. With `Z` or without an offset, the offset is 0. */
export function localTimeOf(text: string): LocalTime {
  const [, sign, hours, minutes] = OFFSET.exec(text) ?? []
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return { at: new Date(text), offsetMinutes: sign === '-' ? -offset : offset }
}

/**
 * Returns the time of an event. Replaces an implausible time with the present time, because the clock of a device may
 * be fast or not set.
 */
export function eventTime(text: string, now: Date): LocalTime {
  const reported = localTimeOf(text)
  const isPlausible = reported.at >= EARLIEST && reported.at <= now
  return isPlausible ? reported : { ...reported, at: now }
}

/** An earlier time is implausible, because it is before the first release of this product. */
const EARLIEST = new Date('2024-01-01T00:00:00Z')

/** Returns the time of a decision of the relay. It is in UTC, because the relay has no local time. */
export function utcTimeOf(at: Date): LocalTime {
  return { at, offsetMinutes: 0 }
}

/** Formats a time like `2026-03-01T15:46:11.000+07:00`. A time in UTC ends with `+00:00`, not with `Z`. */
export function localTimeText({ at, offsetMinutes }: LocalTime): string {
  const shown = new Date(at.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1)
  const offset = Math.abs(offsetMinutes)
  return `${shown}${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(offset / 60))}:${twoDigits(offset % 60)}`
}

const OFFSET = /([+-])(\d\d):(\d\d)$/

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
