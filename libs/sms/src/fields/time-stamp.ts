import { copyOf, type OctetReader } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { decimalFromSemiOctets, semiOctetsFromDecimal } from './semi-octets.ts'

/**
 * A local time and its zone, as written by a service centre (23.040 §9.2.3.11). Both may be wrong. So use the time
 * stamp only for display and for comparisons with other time stamps of the same centre, never as the time of reception.
 */
export interface TimeStamp {
  /** The year, 1990..2089. Only two digits are transmitted; 90 to 99 mean 1990 to 1999. */
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** Local time minus GMT, in quarters of an hour, -79..79. */
  readonly zoneQuarters: number
}

/** Seven octets that are not a valid time, often all zeros or all ones. The message itself is still valid. */
export interface InvalidTimeStamp {
  readonly invalid: true
  readonly raw: Uint8Array
}

export function isValidTimeStamp(timeStamp: TimeStamp | InvalidTimeStamp): timeStamp is TimeStamp {
  return !('invalid' in timeStamp)
}

export function decodeTimeStamp(reader: OctetReader, field: string): TimeStamp | InvalidTimeStamp {
  const octets = reader.take(field, TIME_STAMP_OCTETS)
  return timeStampFromOctets(octets) ?? { invalid: true, raw: copyOf(octets) }
}

export function encodeTimeStamp(timeStamp: TimeStamp | InvalidTimeStamp, field = 'time stamp'): Uint8Array {
  if (!isValidTimeStamp(timeStamp)) {
    if (timeStamp.raw.length !== TIME_STAMP_OCTETS) {
      throw new PduEncodeError(field, `has ${timeStamp.raw.length} octets instead of ${TIME_STAMP_OCTETS}`)
    }
    return copyOf(timeStamp.raw)
  }
  if (!isPossible(timeStamp)) throw new PduEncodeError(field, `${isoFromTimeStamp(timeStamp)} cannot be encoded`)
  const { year, month, day, hour, minute, second, zoneQuarters } = timeStamp
  const sign = zoneQuarters < 0 ? ZONE_SIGN : 0
  return Uint8Array.of(
    ...[year % 100, month, day, hour, minute, second].map(semiOctetsFromDecimal),
    semiOctetsFromDecimal(Math.abs(zoneQuarters)) | sign,
  )
}

export function epochMsFromTimeStamp(timeStamp: TimeStamp): number {
  const { year, month, day, hour, minute, second, zoneQuarters } = timeStamp
  return Date.UTC(year, month - 1, day, hour, minute, second) - zoneQuarters * QUARTER_MS
}

/** Drops fractions of a second, because a time stamp cannot contain them. */
export function timeStampFromEpochMs(epochMs: number, zoneQuarters: number): TimeStamp {
  const local = new Date(epochMs + zoneQuarters * QUARTER_MS)
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    zoneQuarters,
  }
}

/** Returns ISO 8601 with the offset of the centre: `2026-03-01T15:46:11+07:00`. */
export function isoFromTimeStamp(timeStamp: TimeStamp): string {
  const { year, month, day, hour, minute, second, zoneQuarters } = timeStamp
  const date = [year, month, day].map(twoDigits).join('-')
  const time = [hour, minute, second].map(twoDigits).join(':')
  const quarters = Math.abs(zoneQuarters)
  const zone = [Math.floor(quarters / 4), (quarters % 4) * 15].map(twoDigits).join(':')
  return `${date}T${time}${zoneQuarters < 0 ? '-' : '+'}${zone}`
}

const TIME_STAMP_OCTETS = 7
const QUARTER_MS = 15 * 60 * 1000

/**
 * The sign of the zone: the highest bit of its tens digit. The sign is bit 3 of the octet, because the nibbles are
 * swapped.
 */
const ZONE_SIGN = 0x08

function timeStampFromOctets(octets: Uint8Array): TimeStamp | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone = 0] = octets
  const quarters = numberOf(zone & ~ZONE_SIGN)
  const timeStamp = {
    year: numberOf(year) + (numberOf(year) < 90 ? 2000 : 1900),
    month: numberOf(month),
    day: numberOf(day),
    hour: numberOf(hour),
    minute: numberOf(minute),
    second: numberOf(second),
    zoneQuarters: (zone & ZONE_SIGN) === 0 || quarters === 0 ? quarters : -quarters,
  }
  return isPossible(timeStamp) ? timeStamp : undefined
}

/** Returns NaN when a nibble is not decimal, which makes the whole time stamp invalid. */
function numberOf(octet: number): number {
  return decimalFromSemiOctets(octet) ?? Number.NaN
}

function isPossible(timeStamp: TimeStamp): boolean {
  const { year, month, day, hour, minute, second, zoneQuarters } = timeStamp
  const isWhole = [year, month, day, hour, minute, second, zoneQuarters].every(Number.isInteger)
  const isOnTheClock = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59
  const isInTheZones = Math.abs(zoneQuarters) <= 79
  return isWhole && isOnTheClock && isInTheZones && year >= 1990 && year <= 2089 && isInCalendar(year, month, day)
}

function isInCalendar(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
