/** A moment, and how far the agent's clock is ahead of UTC: payloads tell the local time of the agent. */
export interface LocalTime {
  readonly at: Date
  readonly offsetMinutes: number
}

/** Reads RFC 3339. What has no numeric offset, `Z` included, is UTC. */
export function localTime(text: string): LocalTime {
  const [, sign, hours, minutes] = OFFSET.exec(text) ?? []
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return { at: new Date(text), offsetMinutes: sign === '-' ? -offset : offset }
}

/** A device that does not know the time yet tells one of long ago, or of the future: then it is now. */
export function eventTime(text: string, now: Date): LocalTime {
  const told = localTime(text)
  const isPlausible = told.at >= EARLIEST && told.at.getTime() <= now.getTime() + MOST_AHEAD_MS
  return isPlausible ? told : { ...told, at: now }
}

/** Before this program was. */
const EARLIEST = new Date('2024-01-01T00:00:00Z')
const MOST_AHEAD_MS = 24 * 60 * 60 * 1000

/** Nobody's local time: what the relay itself decided. */
export function utcTime(at: Date): LocalTime {
  return { at, offsetMinutes: 0 }
}

/** `2026-03-01T15:46:11.000+07:00`; `+00:00` for UTC, never `Z`. */
export function localTimeText({ at, offsetMinutes }: LocalTime): string {
  const shown = new Date(at.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1)
  const offset = Math.abs(offsetMinutes)
  return `${shown}${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(offset / 60))}:${twoDigits(offset % 60)}`
}

const OFFSET = /([+-])(\d\d):(\d\d)$/

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
