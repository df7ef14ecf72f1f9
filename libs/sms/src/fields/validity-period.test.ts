import { describe, expect, test } from 'vitest'
import { hexFromOctets, OctetReader, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import {
  decodeValidityPeriod,
  encodeValidityPeriod,
  relativeFromSeconds,
  secondsFromRelative,
  type ValidityPeriod,
  validityPeriodFormatOf,
} from './validity-period.ts'

const noFormat = 0b00
const enhancedFormat = 0b01
const relativeFormat = 0b10
const absoluteFormat = 0b11

function decode(hex: string, format: number): ValidityPeriod | undefined {
  return decodeValidityPeriod(new OctetReader(octetsFromHex(hex)), format)
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const week = 7 * day

describe('a relative period', () => {
  test.each([
    [0, 5 * minute],
    [143, 12 * hour],
    [144, 12 * hour + 30 * minute],
    [167, 24 * hour],
    [168, 2 * day],
    [170, 4 * day],
    [196, 30 * day],
    [197, 5 * week],
    [255, 63 * week],
  ])('a relative period of value %i is %i seconds', (value, seconds) => {
    expect(secondsFromRelative({ format: 'relative', value })).toBe(seconds)
  })

  test.each([
    ['less than the least', 1, 0],
    ['nothing', 0, 0],
    ['exactly five minutes', 5 * minute, 0],
    ['just under ten minutes', 10 * minute - 1, 0],
    ['ten minutes', 10 * minute, 1],
    ['36 hours, between one day and two', 36 * hour, 167],
    ['32 days, between 30 days and five weeks', 32 * day, 196],
    ['more than the most', 64 * week, 255],
  ])('a relative period for %s does not exceed the requested seconds', (_what, seconds, value) => {
    expect(relativeFromSeconds(seconds)).toEqual({ format: 'relative', value })
  })

  test('converts each of the 256 relative periods to seconds and back', () => {
    for (let value = 0; value <= 255; value++) {
      const period = { format: 'relative', value } as const
      expect(relativeFromSeconds(secondsFromRelative(period))).toEqual(period)
    }
  })
})

describe('TP-VP', () => {
  test.each<[string, ValidityPeriod | undefined, number, string]>([
    ['absent', undefined, noFormat, ''],
    ['relative', { format: 'relative', value: 0xaa }, relativeFormat, 'AA'],
    [
      'absolute',
      {
        format: 'absolute',
        at: { year: 2026, month: 3, day: 1, hour: 15, minute: 46, second: 11, zoneQuarters: -24 },
      },
      absoluteFormat,
      '6230105164114A',
    ],
    [
      'absolute but no time',
      { format: 'absolute', at: { invalid: true, raw: new Uint8Array(7) } },
      absoluteFormat,
      '00000000000000',
    ],
  ])('%s is encoded and decoded', (_what, period, format, hex) => {
    expect(validityPeriodFormatOf(period)).toBe(format)
    expect(hexFromOctets(encodeValidityPeriod(period))).toBe(hex)
    expect(decode(hex, format)).toEqual(period)
  })

  test.each([
    ['relative', '', relativeFormat, 'is missing'],
    ['absolute', '623010', absoluteFormat, 'needs 7 octets, 3 left'],
    ['enhanced', '010203040506', enhancedFormat, 'needs 7 octets, 6 left'],
  ])('%s that is incomplete is refused', (_what, hex, format, reason) => {
    expect(() => decode(hex, format)).toThrow(new PduDecodeError('TP-VP', 0, reason))
  })

  test.each<[string, ValidityPeriod, string]>([
    ['relative 256', { format: 'relative', value: 256 }, '256 is not a whole number from 0 to 255'],
    [
      'enhanced of six octets',
      {
        format: 'enhanced',
        octets: new Uint8Array(6),
        singleShot: false,
        extended: false,
        period: { kind: 'none' },
      },
      'has 6 octets instead of 7',
    ],
  ])('%s cannot be encoded', (_what, period, reason) => {
    expect(() => encodeValidityPeriod(period)).toThrow(new PduEncodeError('TP-VP', reason))
  })
})

describe('an enhanced period', () => {
  test.each<[string, object]>([
    ['00000000000000', { singleShot: false, period: { kind: 'none' } }],
    ['40000000000000', { singleShot: true, period: { kind: 'none' } }],
    ['01AA0000000000', { singleShot: false, period: { kind: 'relative', value: 170 } }],
    ['022D0000000000', { singleShot: false, period: { kind: 'seconds', seconds: 45 } }],
    [
      '03635095000000',
      { singleShot: false, period: { kind: 'hours-minutes-seconds', hours: 36, minutes: 5, seconds: 59 } },
    ],
  ])('an enhanced period of %s is %j', (hex, members) => {
    const period = decode(hex, enhancedFormat)
    expect(period).toEqual({ format: 'enhanced', octets: octetsFromHex(hex), extended: false, ...members })
    expect(hexFromOctets(encodeValidityPeriod(period))).toBe(hex)
  })

  test.each<[string, string, object]>([
    [
      'an extension octet in front of its value',
      '81002A00000000',
      { extended: true, period: { kind: 'relative', value: 42 } },
    ],
    [
      'two extension octets',
      'C280002D000000',
      { extended: true, singleShot: true, period: { kind: 'seconds', seconds: 45 } },
    ],
    ['extensions without end', '83838383838383', { extended: true, period: { kind: 'reserved' } }],
    ['extensions that leave its value no room', '83808080800099', { extended: true, period: { kind: 'reserved' } }],
    ['a format no release defines', '04112233445566', { extended: false, period: { kind: 'reserved' } }],
    ['zero seconds', '02000000000000', { period: { kind: 'reserved' } }],
    ['minutes beyond 59', '03100600000000', { period: { kind: 'reserved' } }],
    ['seconds beyond 59', '03100006000000', { period: { kind: 'reserved' } }],
    ['a nibble that is not decimal', '031A0000000000', { period: { kind: 'reserved' } }],
  ])('an enhanced period with %s is decoded and keeps its octets', (_what, hex, members) => {
    const period = decode(hex, enhancedFormat)
    expect(period).toMatchObject({ format: 'enhanced', octets: octetsFromHex(hex), ...members })
    expect(hexFromOctets(encodeValidityPeriod(period))).toBe(hex)
  })
})

test('encodes an enhanced period to a copy of its octets', () => {
  const octets = Buffer.from('02090000000000', 'hex')
  const encoded = encodeValidityPeriod({
    format: 'enhanced',
    octets,
    singleShot: false,
    extended: false,
    period: { kind: 'seconds', seconds: 9 },
  })
  octets.fill(0)
  expect(hexFromOctets(encoded)).toBe('02090000000000')
})
