/**
 * Returns a time with its offset. n8n passes the time of a date field without an offset, in the time zone of the
 * workflow.
 */
export function zonedTime(value: unknown, timeZone: string): string {
  const text = value instanceof Date ? value.toISOString() : String(value)
  if (/(?:z|[+-]\d\d:?\d\d)$/i.test(text)) return text
  const local = Date.parse(`${text.replace(' ', 'T')}Z`)
  if (Number.isNaN(local)) throw new Error(`"${text}" is not a time: write it like 2026-03-01T15:00:00`)
  // Uses the offset at a nearby time. The result is wrong only during the hour of a clock change.
  const offset = offsetAt(local - offsetAt(local, timeZone), timeZone)
  return new Date(local - offset).toISOString()
}

/** Returns the milliseconds by which a time zone is ahead of UTC. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const [, sign, hours, minutes] =
    /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '') ?? []
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
  return sign === '-' ? -size : size
}
