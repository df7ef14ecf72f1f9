import { SmppError, type StatusName } from './command.ts'

/**
 * The format is YYMMDDhhmmsstnnp (§7.1.1). If p is `+` or `-`, the time is absolute, and nn is its difference from UTC
 * in quarter hours. If p is `R`, the time is relative.
 */
const FORMAT = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([+R-])$/
const MOST_QUARTERS = 48

/** Converts a time of SMPP to milliseconds since 1970. Returns undefined if the text is empty. */
export function readSmppTime(text: string, now: number, status: StatusName): number | undefined {
  if (text === '') return undefined
  const at = parse(text, now)
  if (at === undefined)
    throw new SmppError(status, 'the time must have the format YYMMDDhhmmsstnnp, for example 261231235900000+')
  return at
}

/** Writes a moment as an absolute time in UTC. */
export function writeSmppTime(at: number): string {
  const [year = '', month = '', day = '', hour = '', minute = '', second = '', tenth = ''] =
    new Date(at).toISOString().match(/(?<=^\d\d)\d\d|(?<=[-T:])\d\d|(?<=\.)\d/g) ?? []
  return `${year}${month}${day}${hour}${minute}${second}${tenth}00+`
}

function parse(text: string, now: number): number | undefined {
  const match = FORMAT.exec(text)
  if (match === null) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarters = 0] = match
    .slice(1, 9)
    .map(Number)
  if (match[9] === 'R') {
    const date = new Date(now)
    date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days)
    return date.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000
  }
  const at = Date.UTC(2000 + years, months - 1, days, hours, minutes, seconds, tenths * 100)
  const isReal = new Date(at).getUTCMonth() === months - 1 && days > 0 && hours < 24 && minutes < 60 && seconds < 60
  if (!isReal || quarters > MOST_QUARTERS) return undefined
  return at - (match[9] === '-' ? -1 : 1) * quarters * 15 * 60_000
}
