import { describe, expect, test } from 'vitest'
import { hexFromOctets, OctetReader, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import {
  decodeTimeStamp,
  encodeTimeStamp,
  epochMsFromTimeStamp,
  type InvalidTimeStamp,
  isoFromTimeStamp,
  isValidTimeStamp,
  type TimeStamp,
  timeStampFromEpochMs,
} from './time-stamp.ts'

const noon: TimeStamp = { year: 2026, month: 3, day: 1, hour: 12, minute: 0, second: 0, zoneQuarters: 0 }

function decode(hex: string): TimeStamp | InvalidTimeStamp {
  return decodeTimeStamp(new OctetReader(octetsFromHex(hex)), 'TP-SCTS')
}

describe('a time stamp', () => {
  test.each<[string, string, string]>([
    ['zone of two hours', '99309251619580', '1999-03-29T15:16:59+02:00'],
    ['zone of seven hours', '62301051641182', '2026-03-01T15:46:11+07:00'],
    ['zone behind GMT', '6230105164114A', '2026-03-01T15:46:11-06:00'],
    ['zone of a quarter', '62301051641132', '2026-03-01T15:46:11+05:45'],
    ['zone of a quarter behind GMT', '62301051641149', '2026-03-01T15:46:11-03:30'],
    ['largest zone', '62301051641197', '2026-03-01T15:46:11+19:45'],
    ['smallest zone', '6230105164119F', '2026-03-01T15:46:11-19:45'],
    ['first year', '09101000000000', '1990-01-01T00:00:00+00:00'],
    ['last year', '98211332959500', '2089-12-31T23:59:59+00:00'],
    ['leap day', '42209221000000', '2024-02-29T12:00:00+00:00'],
  ])('a time stamp with the %s is decoded and encoded', (_what, hex, iso) => {
    const timeStamp = decode(hex)
    if (!isValidTimeStamp(timeStamp)) throw new Error('is invalid')
    expect(isoFromTimeStamp(timeStamp)).toBe(iso)
    expect(hexFromOctets(encodeTimeStamp(timeStamp))).toBe(hex)
    const epochMs = epochMsFromTimeStamp(timeStamp)
    expect(epochMs).toBe(Date.parse(iso))
    expect(timeStampFromEpochMs(epochMs, timeStamp.zoneQuarters)).toEqual(timeStamp)
  })

  test('a time stamp with a zone of minus zero is GMT', () => {
    expect(decode('62301021000008')).toEqual(noon)
  })

  test.each([
    ['all zero', '00000000000000'],
    ['all ones', 'FFFFFFFFFFFFFF'],
    ['month 13', '62311021000000'],
    ['day 0', '62300021000000'],
    ['29 February of a common year', '32209221000000'],
    ['31 April', '62401321000000'],
    ['hour 24', '62301042000000'],
    ['minute 60', '62301021060000'],
    ['second 60', '62301021000600'],
    ['year with a nibble of ten', 'A2301021000000'],
    ['second with a nibble of ten', '6230102100A000'],
    ['zone with a nibble of ten', '623010210000A0'],
  ])('a time stamp of %s is kept raw, marked invalid and encoded unchanged', (_what, hex) => {
    const timeStamp = decode(hex)
    expect(timeStamp).toEqual({ invalid: true, raw: octetsFromHex(hex) })
    expect(hexFromOctets(encodeTimeStamp(timeStamp))).toBe(hex)
  })

  test('a time stamp that is incomplete is refused, and the error contains the offset', () => {
    expect(() => decode('623010210000')).toThrow(new PduDecodeError('TP-SCTS', 0, 'needs 7 octets, 6 left'))
  })

  test('a time stamp drops fractions of a second', () => {
    expect(timeStampFromEpochMs(Date.parse('2026-03-01T12:00:00.999Z'), 0)).toEqual(noon)
  })

  test.each<[Partial<TimeStamp>, string]>([
    [{ year: 1989 }, '1989-03-01T12:00:00+00:00'],
    [{ year: 2090 }, '2090-03-01T12:00:00+00:00'],
    [{ month: 2, day: 30 }, '2026-02-30T12:00:00+00:00'],
    [{ second: 1.5 }, '2026-03-01T12:00:1.5+00:00'],
    [{ zoneQuarters: 80 }, '2026-03-01T12:00:00+20:00'],
    [{ zoneQuarters: -80 }, '2026-03-01T12:00:00-20:00'],
  ])('a time stamp with %j cannot be encoded', (change, iso) => {
    expect(() => encodeTimeStamp({ ...noon, ...change }, 'TP-DT')).toThrow(
      new PduEncodeError('TP-DT', `${iso} cannot be encoded`),
    )
  })

  test('a time stamp that is raw cannot be encoded with another length', () => {
    expect(() => encodeTimeStamp({ invalid: true, raw: new Uint8Array(6) })).toThrow(
      new PduEncodeError('time stamp', 'has 6 octets instead of 7'),
    )
  })
})

test('encodes an invalid time stamp to a copy of its octets', () => {
  const raw = Buffer.alloc(7, 0xff)
  const written = encodeTimeStamp({ invalid: true, raw })
  raw.fill(0)
  expect(hexFromOctets(written)).toBe('FFFFFFFFFFFFFF')
})
