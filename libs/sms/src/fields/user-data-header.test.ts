import { describe, expect, test } from 'vitest'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import {
  type Concatenation,
  concatenationElement,
  concatenationOf,
  decodeUserDataHeader,
  encodeUserDataHeader,
  type InformationElement,
  lockingShiftElement,
  nationalLanguagesOf,
  type Ports,
  portsElement,
  portsOf,
  singleShiftElement,
  type UserDataHeader,
  userDataHeaderOf,
} from './user-data-header.ts'

function element(identifier: number, hex: string): InformationElement {
  return { identifier, data: octetsFromHex(hex) }
}

function decode(hex: string): UserDataHeader {
  return decodeUserDataHeader(octetsFromHex(hex))
}

describe('a header', () => {
  test.each<[string, string, InformationElement[]]>([
    ['one element', '050003CC0201', [element(0x00, 'CC0201')]],
    ['several', '0B050423F0000000037F0302', [element(0x05, '23F00000'), element(0x00, '7F0302')]],
    ['an unknown one, which is kept', '09DF02ABCD0003010201', [element(0xdf, 'ABCD'), element(0x00, '010201')]],
    ['one without data', '021700', [element(0x17, '')]],
    ['none', '00', []],
  ])('a header with %s is decoded and encoded', (_what, hex, elements) => {
    const header = { elements, raw: octetsFromHex(hex), broken: false }
    expect(decode(hex)).toEqual(header)
    expect(hexFromOctets(encodeUserDataHeader(elements))).toBe(hex)
    expect(userDataHeaderOf(elements)).toEqual(header)
  })

  test('a header ends at its length, not at the end of the user data', () => {
    expect(hexFromOctets(decode('050003CC020148656C6C6F').raw)).toBe('050003CC0201')
  })

  test.each<[string, string, string, InformationElement[]]>([
    ['an element longer than the header', '050009CC0201', '050009CC0201', []],
    ['an identifier without a length', '060003CC020124FF', '060003CC020124', [element(0x00, 'CC0201')]],
    ['a second element that overruns', '080003CC02010502FF99', '080003CC02010502FF', [element(0x00, 'CC0201')]],
    ['a length beyond the user data', '200003CC0201', '', []],
    ['no length at all', '', '', []],
  ])('a header with %s is broken: kept raw, without elements', (_what, hex, raw, elements) => {
    const header = decode(hex)
    expect(header).toEqual({ elements, raw: octetsFromHex(raw), broken: true })
    expect(concatenationOf(header)).toBeUndefined()
  })

  test.each<[InformationElement[], string, string]>([
    [[element(256, '')], 'IEI', '256 is not a whole number from 0 to 255'],
    [[{ identifier: 0, data: new Uint8Array(256) }], 'IEIDL', '256 is not a whole number from 0 to 255'],
    [[{ identifier: 0, data: new Uint8Array(254) }], 'UDHL', '256 is not a whole number from 0 to 255'],
  ])('a header that does not fit its lengths cannot be encoded', (elements, field, reason) => {
    expect(() => encodeUserDataHeader(elements)).toThrow(new PduEncodeError(field, reason))
  })
})

describe('concatenation', () => {
  test.each<[Concatenation, string]>([
    [{ width: 8, reference: 0xcc, total: 2, sequence: 1 }, '050003CC0201'],
    [{ width: 8, reference: 0, total: 255, sequence: 255 }, '05000300FFFF'],
    [{ width: 16, reference: 0x1234, total: 3, sequence: 3 }, '06080412340303'],
  ])('%j is encoded and decoded', (concatenation, hex) => {
    expect(hexFromOctets(encodeUserDataHeader([concatenationElement(concatenation)]))).toBe(hex)
    expect(concatenationOf(decode(hex))).toEqual(concatenation)
  })

  test.each([
    ['total 0', '050003CC0000'],
    ['sequence 0', '050003CC0200'],
    ['sequence beyond total', '050003CC0203'],
    ['too little data', '040002CC02'],
    ['too much data', '060004CC020101'],
    ['the data of the other width', '050803CC0201'],
  ])('concatenation with %s is ignored', (_what, hex) => {
    expect(decode(hex).broken).toBe(false)
    expect(concatenationOf(decode(hex))).toBeUndefined()
  })

  test.each([
    ['the same width', '0A00030102010003020302', 2],
    ['another width', '0B0003010201080400020302', 2],
    ['an invalid one behind it', '0A00030102010003020300', 1],
  ])('concatenation given twice, with %s, uses the last valid element', (_what, hex, reference) => {
    expect(concatenationOf(decode(hex))?.reference).toBe(reference)
  })

  test('concatenation is absent without a header', () => {
    expect(concatenationOf(undefined)).toBeUndefined()
  })

  test.each<[Concatenation, string, string]>([
    [{ width: 8, reference: 256, total: 2, sequence: 1 }, 'reference', '256 does not fit in 8 bits'],
    [{ width: 16, reference: 65536, total: 2, sequence: 1 }, 'reference', '65536 does not fit in 16 bits'],
    [{ width: 8, reference: 1, total: 256, sequence: 1 }, 'total', '256 is not a whole number from 0 to 255'],
    [{ width: 8, reference: 1, total: 2, sequence: 3 }, 'sequence', '3 is not between 1 and 2'],
    [{ width: 8, reference: 1, total: 2, sequence: 0 }, 'sequence', '0 is not between 1 and 2'],
  ])('%j cannot be encoded', (concatenation, member, reason) => {
    expect(() => concatenationElement(concatenation)).toThrow(new PduEncodeError(`concatenation ${member}`, reason))
  })
})

describe('ports', () => {
  test.each<[Ports, string]>([
    [{ width: 8, destination: 0xf5, source: 0xf0 }, '040402F5F0'],
    [{ width: 16, destination: 2948, source: 9200 }, '0605040B8423F0'],
  ])('%j are encoded and decoded', (ports, hex) => {
    expect(hexFromOctets(encodeUserDataHeader([portsElement(ports)]))).toBe(hex)
    expect(portsOf(decode(hex))).toEqual(ports)
  })

  test('the last ports are used if ports are given twice', () => {
    expect(portsOf(decode('0A05040B8423F00402F5F0'))).toEqual({ width: 8, destination: 0xf5, source: 0xf0 })
  })

  test('ports of the wrong length are ignored', () => {
    expect(portsOf(decode('0505030B8423'))).toBeUndefined()
  })

  test('ports that do not fit cannot be encoded', () => {
    expect(() => portsElement({ width: 8, destination: 2948, source: 0 })).toThrow(
      new PduEncodeError('destination port', '2948 does not fit in 8 bits'),
    )
  })
})

describe('national languages', () => {
  test('national languages of the two shifts are encoded and decoded separately', () => {
    const elements = [singleShiftElement(1), lockingShiftElement(3)]
    expect(hexFromOctets(encodeUserDataHeader(elements))).toBe('06240101250103')
    expect(nationalLanguagesOf(userDataHeaderOf(elements))).toEqual({ locking: 3, single: 1 })
  })

  test('national languages are absent if the header contains none', () => {
    expect(nationalLanguagesOf(decode('050003CC0201'))).toEqual({ locking: undefined, single: undefined })
    expect(nationalLanguagesOf(undefined)).toEqual({ locking: undefined, single: undefined })
  })

  test('national languages use the last element', () => {
    expect(nationalLanguagesOf(decode('06240101240102')).single).toBe(2)
  })
})
