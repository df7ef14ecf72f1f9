import { describe, expect, test } from 'vitest'
import { hexFromOctets, joinOctets, OctetReader, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import { ucs2FromText } from '../text/ucs2.ts'
import { decodeDataCodingScheme } from './data-coding-scheme.ts'
import { decodeUserData, encodeUserDataField, textOfUserData, type UserData } from './user-data.ts'
import {
  concatenationElement,
  decodeUserDataHeader,
  lockingShiftElement,
  singleShiftElement,
  userDataHeaderOf,
} from './user-data-header.ts'

const gsm7 = 0x00
const octets = 0x04
const ucs2 = 0x08
const compressed = 0x20

function decode(hex: string, dcs: number, hasHeader = false): UserData {
  return decodeUserData(new OctetReader(octetsFromHex(hex)), decodeDataCodingScheme(dcs), hasHeader)
}

function inSeptets(text: string, headerHex?: string): UserData {
  const header = headerHex === undefined ? undefined : decodeUserDataHeader(octetsFromHex(headerHex))
  return { alphabet: 'gsm7', header, units: septetsFromText(text)! }
}

describe('user data', () => {
  test.each<[string, UserData, number, string]>([
    ['septets', inSeptets('hellohello'), gsm7, '0AE8329BFD4697D9EC37'],
    ['septets that fill the last octet', inSeptets('abcdefgh'), gsm7, '0861F1985C369FD1'],
    ['septets that leave seven bits over', inSeptets('abcdefg'), gsm7, '0761F1985C369F01'],
    ['an @ in those seven bits', inSeptets('abcdefg@'), gsm7, '0861F1985C369F01'],
    ['the highest septet', inSeptets('à'), gsm7, '017F'],
    ['no septet', inSeptets(''), gsm7, '00'],
    ['a header and one fill bit', inSeptets('Hi', '050003CC0201'), gsm7, '09050003CC02019069'],
    ['a header without fill bits', inSeptets('Hi', '06080412340302'), gsm7, '0A06080412340302C834'],
    ['a header and four fill bits', inSeptets('Hi', '021700'), gsm7, '06021700804C03'],
    ['a header and six fill bits', inSeptets('Hi', '00'), gsm7, '040000320D'],
    ['a header and nothing behind it', inSeptets('', '050003CC0201'), gsm7, '07050003CC020100'],
    ['octets', { alphabet: 'octets', header: undefined, units: octetsFromHex('00FF80') }, octets, '0300FF80'],
    ['UCS2', { alphabet: 'ucs2', header: undefined, units: octetsFromHex('041F0440') }, ucs2, '04041F0440'],
    [
      'UCS2 behind a header',
      { alphabet: 'ucs2', header: decodeUserDataHeader(octetsFromHex('050003CC0201')), units: octetsFromHex('041F') },
      ucs2,
      '08050003CC0201041F',
    ],
    [
      'compressed septets, which are octets',
      { alphabet: 'gsm7', compressed: true, header: undefined, units: octetsFromHex('A1B2C3') },
      compressed,
      '03A1B2C3',
    ],
  ])('user data of %s are encoded and decoded', (_what, userData, dcs, hex) => {
    expect(hexFromOctets(encodeUserDataField(userData, dcs))).toBe(hex)
    expect(decode(hex, dcs, userData.header !== undefined)).toEqual(userData)
  })

  test.each([
    ['160 septets', 160, undefined, 160, 140],
    ['153 behind a header of six octets', 153, '050003CC0201', 160, 140],
    ['152 behind a header of seven octets', 152, '06080412340302', 160, 140],
  ])('user data have room for %s', (_what, count, headerHex, length, size) => {
    const [userDataLength, ...octets] = encodeUserDataField(inSeptets('a'.repeat(count), headerHex), 0)
    expect([userDataLength, octets.length]).toEqual([length, size])
  })

  test.each<[string, UserData, number, number | undefined, string]>([
    ['161 septets', inSeptets('a'.repeat(161)), 0, undefined, 'needs 141 octets, the maximum is 140'],
    [
      '154 behind a header',
      inSeptets('a'.repeat(154), '050003CC0201'),
      0,
      undefined,
      'needs 141 octets, the maximum is 140',
    ],
    [
      '141 octets',
      { alphabet: 'octets', header: undefined, units: new Uint8Array(141) },
      4,
      undefined,
      'needs 141 octets, the maximum is 140',
    ],
    ['more than the caller has room for', inSeptets('a'.repeat(9)), 0, 7, 'needs 8 octets, the maximum is 7'],
    [
      'an octet among septets',
      { ...inSeptets(''), units: Uint8Array.of(0x80) },
      0,
      undefined,
      'has a unit above 127, which is not a septet',
    ],
  ])('user data of %s cannot be encoded', (_what, userData, dcs, room, reason) => {
    expect(() => encodeUserDataField(userData, dcs, room)).toThrow(new PduEncodeError('TP-UD', reason))
  })

  test.each([
    [inSeptets('a'), ucs2, '8 does not stand for gsm7 user data'],
    [inSeptets('a'), compressed, '32 does not stand for gsm7 user data'],
  ])('user data are refused with a coding scheme of another alphabet', (userData, dcs, reason) => {
    expect(() => encodeUserDataField(userData, dcs)).toThrow(new PduEncodeError('TP-DCS', reason))
  })

  test('leaves the octets after the user data in the reader', () => {
    const reader = new OctetReader(octetsFromHex('0AE8329BFD4697D9EC37ABCD'))
    expect(textOfUserData(decodeUserData(reader, decodeDataCodingScheme(gsm7), false))).toBe('hellohello')
    expect(hexFromOctets(reader.rest())).toBe('ABCD')
  })
})

describe('incomplete user data', () => {
  test.each([
    ['without a length', '', gsm7, new PduDecodeError('TP-UDL', 0, 'is missing')],
    ['of octets by one', '0300FF', octets, new PduDecodeError('TP-UD', 1, 'needs 3 octets, 2 left')],
    ['of UCS2 by two', '04041F', ucs2, new PduDecodeError('TP-UD', 1, 'needs 4 octets, 2 left')],
    ['compressed by one', '03A1B2', compressed, new PduDecodeError('TP-UD', 1, 'needs 3 octets, 2 left')],
    ['of septets by two', '0AE8329BFD4697D9', gsm7, new PduDecodeError('TP-UD', 1, 'needs 9 octets, 7 left')],
  ])('%s are refused', (_what, hex, dcs, error) => {
    expect(() => decode(hex, dcs)).toThrow(error)
  })

  test('incomplete user data of septets without the last octet keep the complete septets and are marked', () => {
    const userData = decode('0AE8329BFD4697D9EC', gsm7)
    expect(textOfUserData(userData)).toBe('hellohell')
    expect(userData.truncated).toBe(true)
  })

  test('incomplete user data of UCS-2 without the last octet keep the complete characters and are marked', () => {
    const userData = decode('0800480065006C00', ucs2)
    expect(userData).toEqual({
      alphabet: 'ucs2',
      header: undefined,
      units: octetsFromHex('00480065006C'),
      truncated: true,
    })
    expect(decode('0906080412340302041F', ucs2, true)).not.toHaveProperty('truncated')
    const behindOddHeader = decode('0B06080412340302041F04', ucs2, true)
    expect(behindOddHeader).toMatchObject({ units: octetsFromHex('041F'), truncated: true })
    const behindHeader = decode('0A050003CC0201041F04', ucs2, true)
    expect(textOfUserData(behindHeader)).toBe('П')
    expect(behindHeader).toMatchObject({ truncated: true, header: { broken: false } })
  })

  test('incomplete user data of UCS-2 whose length is one octet too large keep the whole text', () => {
    expect(decode('0500480065', ucs2)).toEqual({
      alphabet: 'ucs2',
      header: undefined,
      units: octetsFromHex('00480065'),
    })
  })

  test('incomplete user data of septets whose length is one septet too large keep the whole text', () => {
    expect(textOfUserData(decode('0961F1985C369FD1', gsm7))).toBe('abcdefgh')
  })

  test('incomplete user data of a header without fill bits are complete', () => {
    const userData = decode('07050003CC0201', gsm7, true)
    expect(userData).toEqual(inSeptets('', '050003CC0201'))
  })
})

test('encodes to a copy of the units', () => {
  const userData: UserData = { alphabet: 'octets', header: undefined, units: Uint8Array.of(1, 2, 3) }
  const written = encodeUserDataField(userData, 4)
  userData.units.fill(0)
  expect(written).toEqual(Uint8Array.of(3, 1, 2, 3))
})

describe('a broken header', () => {
  test('a broken header with elements beyond its end does not affect the text', () => {
    const userData = decode('09050009CC02019069', gsm7, true)
    expect(userData.header).toMatchObject({ broken: true, raw: octetsFromHex('050009CC0201') })
    expect(textOfUserData(userData)).toBe('Hi')
    expect(hexFromOctets(encodeUserDataField(userData, gsm7))).toBe('09050009CC02019069')
  })

  test('a broken header longer than the user data leaves all octets as text', () => {
    const userData = decode('0AE8329BFD4697D9EC37', gsm7, true)
    expect(userData.header).toEqual({ elements: [], raw: new Uint8Array(0), broken: true })
    expect(textOfUserData(userData)).toBe('hellohello')
    expect(hexFromOctets(encodeUserDataField(userData, gsm7))).toBe('0AE8329BFD4697D9EC37')
  })

  test('a broken header that fits into the octets but not into the septets leaves no text', () => {
    // TP-UDL counts seven septets, in which a header of seven octets does not fit.
    const userData = decode('0706080412340302', gsm7, true)
    expect(userData.header?.broken).toBe(false)
    expect(userData.units).toEqual(new Uint8Array(0))
  })

  test('a broken header whose length does not fit into one septet is not encoded', () => {
    const userData = decode('0180', gsm7, true)
    expect(userData.header?.broken).toBe(true)
    expect(() => encodeUserDataField(userData, gsm7)).toThrow(PduEncodeError)
  })

  test('a broken header in empty user data causes no error', () => {
    expect(decode('00', gsm7, true).units).toEqual(new Uint8Array(0))
  })
})

describe('text', () => {
  test('text is read in the national tables of the header', () => {
    const turkish = userDataHeaderOf([singleShiftElement(1)])
    expect(textOfUserData({ alphabet: 'gsm7', header: turkish, units: Uint8Array.of(0x1b, 0x73) })).toBe('ş')
    const portuguese = userDataHeaderOf([lockingShiftElement(3)])
    expect(textOfUserData({ alphabet: 'gsm7', header: portuguese, units: Uint8Array.of(0x7b) })).toBe('ã')
  })

  test('text is read in the default tables when the header is broken', () => {
    const header = { ...userDataHeaderOf([singleShiftElement(1)]), broken: true }
    expect(textOfUserData({ alphabet: 'gsm7', header, units: Uint8Array.of(0x1b, 0x73) })).toBe('s')
  })

  test('text in UCS-2 is read', () => {
    expect(textOfUserData({ alphabet: 'ucs2', header: undefined, units: ucs2FromText('Привет 👋') })).toBe('Привет 👋')
  })

  test('text is undefined for octets and compressed data', () => {
    const units = octetsFromHex('4869')
    expect(textOfUserData({ alphabet: 'octets', header: undefined, units })).toBeUndefined()
    expect(textOfUserData({ alphabet: 'gsm7', compressed: true, header: undefined, units })).toBeUndefined()
  })

  test('text of several parts is joined before it is read, because an escape may end a part', () => {
    const header = userDataHeaderOf([concatenationElement({ width: 8, reference: 1, total: 2, sequence: 1 })])
    const first: UserData = { alphabet: 'gsm7', header, units: Uint8Array.of(0x61, 0x1b) }
    const read = decode(hexFromOctets(encodeUserDataField(first, gsm7)), gsm7, true)
    expect(textOfUserData({ ...read, units: joinOctets([read.units, Uint8Array.of(0x65)]) })).toBe('a€')
  })
})
