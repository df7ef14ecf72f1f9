import type { ResponseLine } from '../../wire/response-line.ts'
import { lastWith, type Query } from '../query.ts'

/** Time from the network or the modem: UTC, and the zone in quarters of an hour if known. */
export interface NetworkTime {
  readonly epochMs: number
  readonly zoneQuarters: number | undefined
}

/**
 * Reads the clock of the modem: local time with the zone. The clock is valid only after the network has set it. 27.007
 * §8.15
 */
export const readClock: Query<NetworkTime> = {
  text: 'AT+CCLK?',
  timeoutMs: 5000,
  prefixes: ['+CCLK'],
  read: (lines) => {
    const line = lastWith(lines, '+CCLK')
    return line && localTimeIn(line.body)
  },
}

/** Lets the network set the clock (`+CTZU`) and report the zone (`+CTZR`). 27.007 §8.40, §8.41 */
export const followNetworkTime: Query<true> = { text: 'AT+CTZU=1', timeoutMs: 5000, read: () => true }
export const reportTimeZone: Query<true> = { text: 'AT+CTZR=1', timeoutMs: 5000, read: () => true }

/**
 * Reads the unsolicited codes with the time: `^NWTIME: "26/03/01,15:46:11+28,00"` (Huawei), `*PSUTTZ:
 * 2026,3,1,15,46,11, "+28",0` (SIMCom; already UTC), `+CTZV: 28` and `+CTZE` (the zone; some modems add the time).
 */
export function networkTimeIn(line: ResponseLine): NetworkTime | undefined {
  switch (line.prefix) {
    case '^NWTIME':
    case '+NITZ':
    case '^NITZ':
    case '+QLTS':
      return localTimeIn(line.body)
    case '*PSUTTZ': {
      const [year, month, day, hour, minute, second, zone] = numbersIn(line.body)
      const epochMs = epochOf(year, month, day, hour, minute, second)
      return epochMs === undefined ? undefined : { epochMs, zoneQuarters: validZone(zone) }
    }
    case '+CTZV':
    case '+CTZE':
    case '+CTZEU': {
      // The zone comes first, followed by the local time in some codes.
      const time = localTimeIn(line.body)
      const zone = validZone(Number(/^\s*"?([+-]?\d{1,3})/.exec(line.body)?.[1] ?? Number.NaN))
      if (time === undefined || zone === undefined || time.zoneQuarters !== undefined) return time
      return { epochMs: time.epochMs - zone * quarterMs, zoneQuarters: zone }
    }
    default:
      return undefined
  }
}

/** `26/03/01,15:46:11+28`; before the network has set the clock, modems report 1970, 1980, 2004 or 80/01/06. */
function localTimeIn(text: string): NetworkTime | undefined {
  const match = /(\d{2,4})\/(\d{1,2})\/(\d{1,2})\s*,\s*(\d{1,2}):(\d{1,2}):(\d{1,2})\s*([+-]\s?\d{1,3})?/.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  const epochMs = epochOf(year, month, day, hour, minute, second)
  if (epochMs === undefined) return undefined
  const zoneQuarters = match[7] === undefined ? undefined : validZone(Number(match[7].replace(/\s/, '')))
  return { epochMs: epochMs - (zoneQuarters ?? 0) * quarterMs, zoneQuarters }
}

const quarterMs = 15 * 60_000
/** The earliest valid year. An earlier year means that the clock was not set. */
const earliestYear = 2024
/** The latest valid year. Two-digit years from 70 on are sent by clocks that start in 1970 or 1980. */
const latestYear = 2069

function epochOf(year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0): number | undefined {
  const fullYear = year < 100 ? 2000 + year : year
  if (fullYear < earliestYear || fullYear > latestYear || month < 1 || month > 12 || day < 1 || day > 31)
    return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  return Date.UTC(fullYear, month - 1, day, hour, minute, second)
}

/** 23.040 §9.2.3.11: zones range from −12 h to +14 h. */
function validZone(quarters: number | undefined): number | undefined {
  return quarters !== undefined && quarters >= -48 && quarters <= 56 ? quarters : undefined
}

function numbersIn(text: string): number[] {
  return (text.match(/[+-]?\d+/g) ?? []).map(Number)
}
