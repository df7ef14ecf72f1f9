import { checkedOctet, copyOf, type OctetReader } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import { decimalFromSemiOctets } from './semi-octets.ts'
import { decodeTimeStamp, encodeTimeStamp, type InvalidTimeStamp, type TimeStamp } from './time-stamp.ts'

/** How long the service centre tries to deliver the message. If absent, the centre decides. 23.040 §9.2.3.12 */
export type ValidityPeriod = RelativeValidityPeriod | AbsoluteValidityPeriod | EnhancedValidityPeriod

/** Counted from the time when the service centre receives the message. */
export interface RelativeValidityPeriod {
  readonly format: 'relative'
  /** 0..255 on a scale from five minutes to 63 weeks; see {@link secondsFromRelative}. */
  readonly value: number
}

export interface AbsoluteValidityPeriod {
  readonly format: 'absolute'
  readonly at: TimeStamp | InvalidTimeStamp
}

/** Seven octets. The first octet determines the meaning of the others. */
export interface EnhancedValidityPeriod {
  readonly format: 'enhanced'
  /** The octets as transmitted; the other members are decoded from them. */
  readonly octets: Uint8Array
  /** True if the centre tries only once. */
  readonly singleShot: boolean
  /** True if a second functionality indicator follows the first indicator. No release defines a second indicator. */
  readonly extended: boolean
  readonly period: EnhancedPeriod
}

type EnhancedPeriod =
  | { readonly kind: 'none' }
  | { readonly kind: 'relative'; readonly value: number }
  | { readonly kind: 'seconds'; readonly seconds: number }
  | {
      readonly kind: 'hours-minutes-seconds'
      readonly hours: number
      readonly minutes: number
      readonly seconds: number
    }
  | { readonly kind: 'reserved' }

/** TP-VPF, two bits of the first octet. 23.040 §9.2.3.3 */
export function validityPeriodFormatOf(period: ValidityPeriod | undefined): number {
  return period === undefined ? 0 : FORMATS.indexOf(period.format)
}

/** @param format TP-VPF */
export function decodeValidityPeriod(reader: OctetReader, format: number): ValidityPeriod | undefined {
  switch (FORMATS[format]) {
    case 'relative':
      return { format: 'relative', value: reader.octet('TP-VP') }
    case 'absolute':
      return { format: 'absolute', at: decodeTimeStamp(reader, 'TP-VP') }
    case 'enhanced':
      return enhancedFromOctets(copyOf(reader.take('TP-VP', ENHANCED_OCTETS)))
    default:
      return undefined
  }
}

export function encodeValidityPeriod(period: ValidityPeriod | undefined): Uint8Array {
  switch (period?.format) {
    case undefined:
      return new Uint8Array(0)
    case 'relative':
      return Uint8Array.of(checkedOctet(period.value, 'TP-VP'))
    case 'absolute':
      return encodeTimeStamp(period.at, 'TP-VP')
    case 'enhanced':
      if (period.octets.length !== ENHANCED_OCTETS) {
        throw new PduEncodeError('TP-VP', `has ${period.octets.length} octets instead of ${ENHANCED_OCTETS}`)
      }
      return copyOf(period.octets)
  }
}

/** Returns the longest period that does not exceed `seconds`, at least five minutes. */
export function relativeFromSeconds(seconds: number): RelativeValidityPeriod {
  let value = 255
  while (value > 0 && !(secondsOfValue(value) <= seconds)) value--
  return { format: 'relative', value }
}

export function secondsFromRelative(period: RelativeValidityPeriod): number {
  return secondsOfValue(period.value)
}

/** The formats; the index is the value of TP-VPF. */
const FORMATS = [undefined, 'enhanced', 'relative', 'absolute'] as const

const ENHANCED_OCTETS = 7
const EXTENSION_BIT = 0x80
const SINGLE_SHOT_BIT = 0x40

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS
const DAY_SECONDS = 24 * HOUR_SECONDS
const WEEK_SECONDS = 7 * DAY_SECONDS

// 23.040 §9.2.3.12.1: the steps grow from five minutes to half an hour, a day and a week.
function secondsOfValue(value: number): number {
  if (value <= 143) return (value + 1) * 5 * MINUTE_SECONDS
  if (value <= 167) return 12 * HOUR_SECONDS + (value - 143) * 30 * MINUTE_SECONDS
  if (value <= 196) return (value - 166) * DAY_SECONDS
  return (value - 192) * WEEK_SECONDS
}

function enhancedFromOctets(octets: Uint8Array): EnhancedValidityPeriod {
  const indicator = octets[0] ?? 0
  const valueAt = 1 + octets.findIndex((octet) => (octet & EXTENSION_BIT) === 0)
  return {
    format: 'enhanced',
    octets,
    singleShot: (indicator & SINGLE_SHOT_BIT) !== 0,
    extended: (indicator & EXTENSION_BIT) !== 0,
    // Extension octets precede the value. If none of them is marked as the last, the value is missing.
    period: valueAt === 0 ? { kind: 'reserved' } : enhancedPeriod(indicator & 0b111, octets.subarray(valueAt)),
  }
}

function enhancedPeriod(format: number, value: Uint8Array): EnhancedPeriod {
  const [first, second, third] = value
  if (format === 0b000) return { kind: 'none' }
  if (format === 0b001 && first !== undefined) return { kind: 'relative', value: first }
  // Refuses zero seconds, because zero is a reserved value.
  if (format === 0b010 && first !== undefined && first > 0) return { kind: 'seconds', seconds: first }
  if (format === 0b011 && first !== undefined && second !== undefined && third !== undefined) {
    const hours = decimalFromSemiOctets(first)
    const minutes = decimalFromSemiOctets(second)
    const seconds = decimalFromSemiOctets(third)
    if (hours !== undefined && minutes !== undefined && seconds !== undefined && minutes < 60 && seconds < 60) {
      return { kind: 'hours-minutes-seconds', hours, minutes, seconds }
    }
  }
  return { kind: 'reserved' }
}
