import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { septetsOfCharacter } from './text/gsm7-alphabet.ts'
import { decodeUssdString, packUssd, unpackUssd } from './ussd.ts'

const hex = (octets: Uint8Array | undefined): string =>
  Buffer.from(octets ?? [])
    .toString('hex')
    .toUpperCase()
const octets = (text: string): Uint8Array => Buffer.from(text, 'hex')

const gsmCharacters = fc
  .integer({ min: 0x0a, max: 0x20ac })
  .map((code) => String.fromCharCode(code))
  .filter((char) => septetsOfCharacter(char) !== undefined)
const gsmText = fc.array(gsmCharacters, { maxLength: 60 }).map((chars) => chars.join(''))

// 23.038 §6.1.2.3.1
describe('packing for USSD', () => {
  it.each([
    ['*100#', 'AA180C3602'],
    ['*101#', 'AA182C3602'],
    ['*#06#', 'AA11CC3602'],
    ['', ''],
  ])('packs %j as networks and modems do', (text, packed) => {
    expect(hex(packUssd(text))).toBe(packed)
    expect(unpackUssd(octets(packed))).toBe(text)
  })

  it('fills seven spare bits with CR, which unpacking removes', () => {
    expect(hex(packUssd('1234567'))).toBe('31D98C56B3DD1A')
    expect(unpackUssd(octets('31D98C56B3DD1A'))).toBe('1234567')
  })

  it('adds no CR for fewer than seven spare bits', () => {
    expect(hex(packUssd('123456'))).toBe('31D98C56B301')
    expect(hex(packUssd('12345678'))).toBe('31D98C56B3DD70')
  })

  it('keeps an @ that ends on an octet boundary', () => {
    expect(hex(packUssd('1234567@'))).toBe('31D98C56B3DD00')
    expect(unpackUssd(octets('31D98C56B3DD00'))).toBe('1234567@')
  })

  it('sends a CR at the end of the text twice if the first CR ends on an octet boundary', () => {
    expect(hex(packUssd('1234567\r'))).toBe('31D98C56B3DD1A0D')
    expect(unpackUssd(octets('31D98C56B3DD1A0D'))).toBe('1234567\r\r')
  })

  it('keeps a CR that does not end on an octet boundary', () => {
    expect(unpackUssd(packUssd('123456\r') ?? octets(''))).toBe('123456\r')
    expect(unpackUssd(packUssd('12\r') ?? octets(''))).toBe('12\r')
  })

  it('counts the escape of a character as a septet', () => {
    expect(hex(packUssd('12345€'))).toBe(hex(packUssd('12345€')?.subarray(0, 7)))
    expect(unpackUssd(packUssd('12345€') ?? octets(''))).toBe('12345€')
  })

  it('refuses characters without septets', () => {
    expect(packUssd('*100*я#')).toBeUndefined()
  })

  it('packs and unpacks any text unchanged that does not end in CR', () => {
    fc.assert(
      fc.property(gsmText, (text) => {
        fc.pre(!text.endsWith('\r'))
        expect(unpackUssd(packUssd(text) ?? octets(''))).toBe(text)
      }),
    )
  })

  it('keeps a CR at the end and adds at most one', () => {
    fc.assert(
      fc.property(gsmText, (text) => {
        expect([`${text}\r`, `${text}\r\r`]).toContain(unpackUssd(packUssd(`${text}\r`) ?? octets('')))
      }),
    )
  })
})

describe('a USSD string', () => {
  it.each([
    ['GSM 7 bit, language unspecified', 'AA180C3602', 0x0f, '*100#'],
    ['GSM 7 bit, English', 'AA180C3602', 0x01, '*100#'],
    ['GSM 7 bit, class 1', 'AA180C3602', 0xf1, '*100#'],
    ['GSM 7 bit by a reserved scheme', 'AA180C3602', 0x8f, '*100#'],
    ['UCS-2', '0411043004', 0x48, 'Ба'],
    ['UCS-2, class 1', '04110430', 0x59, 'Ба'],
    ['8 bit', '42616CE9', 0x44, 'Balé'],
    ['8 bit, class 1', '42616C', 0xf5, 'Bal'],
    ['octets of the WAP Forum', '4142', 0xe0, 'AB'],
    ['8 bit with a zero, which no text column takes', '410042', 0x44, 'A\ufffdB'],
  ])('a USSD string in %s is decoded', (_, given, scheme, text) => {
    expect(decodeUssdString(octets(given), scheme)).toBe(text)
  })

  it('a USSD string removes the language before a GSM 7 bit text', () => {
    expect(decodeUssdString(packUssd('en\rBalance') ?? octets(''), 0x10)).toBe('Balance')
    expect(decodeUssdString(packUssd('Balance') ?? octets(''), 0x10)).toBe('Balance')
    expect(decodeUssdString(packUssd('en\rBalance') ?? octets(''), 0x0f)).toBe('en\rBalance')
  })

  it('a USSD string removes the language before a UCS-2 text', () => {
    expect(decodeUssdString(octets('653704110430'), 0x11)).toBe('Ба')
    expect(decodeUssdString(octets('04110430'), 0x11)).toBe('Ба')
    expect(decodeUssdString(octets('65E5672C'), 0x11)).toBe('日本')
    expect(decodeUssdString(octets('00410042'), 0x11)).toBe('AB')
    // If read as two letters, the octets of 中 would be "NZ".
    expect(decodeUssdString(octets('4E2D6587'), 0x11)).toBe('中文')
    expect(decodeUssdString(octets('65'), 0x11)).toBe('')
  })

  it.each([
    ['compressed', 0x60],
    ['with a user data header', 0x91],
  ])('a USSD string that is %s has no text', (_, scheme) => {
    expect(decodeUssdString(octets('AA180C3602'), scheme)).toBeUndefined()
  })

  it('a USSD string decodes any octets without an error and without U+0000', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 170 }), fc.nat(255), (given, scheme) => {
        expect(decodeUssdString(given, scheme) ?? '').not.toContain('\0')
      }),
    )
  })
})
