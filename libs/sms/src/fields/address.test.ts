import { describe, expect, test } from 'vitest'
import { hexFromOctets, OctetReader, octetsFromHex } from '../octets.ts'
import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'
import {
  type Address,
  addressFromText,
  decodeAddress,
  decodeServiceCentreAddress,
  encodeAddress,
  encodeServiceCentreAddress,
  type TypeOfNumber,
  textFromAddress,
} from './address.ts'

function address(typeOfNumber: TypeOfNumber, numberingPlan: number, value: string): Address {
  return { typeOfNumber, numberingPlan, value }
}

function decode(hex: string): Address {
  return decodeAddress(new OctetReader(octetsFromHex(hex)), 'TP-OA')
}

describe('TP-OA, TP-DA and TP-RA', () => {
  test.each<[string, Address, string]>([
    ['an international number', address('international', 1, '447700900123'), '0C91447700091032'],
    ['an odd number of digits', address('international', 1, '46708251358'), '0B916407281553F8'],
    ['a short code', address('unknown', 1, '12345'), '05812143F5'],
    ['a national number', address('national', 1, '07700900123'), '0BA17007900021F3'],
    ['a service code', address('unknown', 1, '*100#'), '05811A00FB'],
    ['a network number', address('network-specific', 9, '4711'), '04B97411'],
    ['a subscriber number in the national plan', address('subscriber', 8, '27838890001'), '0BC87238880900F1'],
    ['an abbreviated number', address('abbreviated', 0, '42'), '02E024'],
    ['the reserved type', address('reserved', 15, '1'), '01FFF1'],
    ['every extra digit', address('unknown', 1, '*#abc'), '0581BADCFE'],
    ['no digit at all', address('unknown', 0, ''), '0080'],
    ['twenty digits', address('international', 1, '12345678901234567890'), '149121436587092143658709'],
    ['a name with an accent', address('alphanumeric', 0, 'Zürich'), '0BD05ABF3C3D4603'],
    ['a name of eleven', address('alphanumeric', 0, 'ÄÖÑÜ§äöñüàé'), '14D05B6ED7FBDDF3FBFE7F01'],
    ['a name of seven', address('alphanumeric', 0, 'ABCDEFG'), '0DD041E19058341E01'],
    ['a name of eight that ends in @', address('alphanumeric', 0, 'ABCDEFG@'), '0ED041E19058341E01'],
    ['a name with an escape', address('alphanumeric', 0, 'a€'), '06D0E14D19'],
    ['an empty name', address('alphanumeric', 0, ''), '00D0'],
  ])('%s is encoded and decoded', (_what, value, hex) => {
    expect(hexFromOctets(encodeAddress(value))).toBe(hex)
    expect(decode(hex)).toEqual(value)
  })

  test('accepts a type without its top bit', () => {
    expect(decode('0C11447700091032')).toEqual(address('international', 1, '447700900123'))
  })

  test('skips a filler digit that the length includes, and a filler digit in the middle', () => {
    expect(decode('0691213FF4').value).toBe('1234')
    expect(decode('069121F3F4').value).toBe('1234')
  })

  test('decodes more digits than the standard allows', () => {
    expect(decode('16812143658709214365870921').value).toBe('1234567890123456789012')
  })

  test('stops decoding at the end of the address', () => {
    const reader = new OctetReader(octetsFromHex('FF03812143F7AA'), 1)
    expect(decodeAddress(reader, 'TP-DA').value).toBe('123')
    expect(reader.position).toBe(5)
  })

  test.each([
    ['', 0, 'is missing'],
    ['0C', 1, 'is missing'],
    ['0C914477000910', 2, 'needs 6 octets, 5 left'],
    ['FF91', 2, 'needs 128 octets, 0 left'],
  ])('%j is refused, and the error contains the offset', (hex, offset, reason) => {
    expect(() => decode(hex)).toThrow(new PduDecodeError('TP-OA', offset, reason))
  })

  test.each<[Address, string]>([
    [address('international', 1, '+44'), 'character 1 is not one of 0123456789*#abc'],
    [address('unknown', 1, '123456789012345678901'), 'has 21 digits, the maximum is 20'],
    [address('unknown', 16, '1'), 'numbering plan 16 exceeds 15'],
    [address('unknown', -1, '1'), '-1 is not a whole number from 0 to 255'],
    [address('alphanumeric', 0, 'twelve chars'), 'is a name of 12 septets, the maximum is 11'],
    [address('alphanumeric', 0, 'Ж'), 'is a name with characters that the GSM 7 bit default alphabet does not have'],
  ])('%j cannot be encoded', (value, reason) => {
    expect(() => encodeAddress(value, 'TP-DA')).toThrow(new PduEncodeError('TP-DA', reason))
  })
})

describe('the service centre', () => {
  test.each<[string, Address | undefined, string]>([
    ['of an even number', address('international', 1, '273810000150'), '0791728301001005'],
    ['of an odd number', address('international', 1, '27381000015'), '07917283010010F5'],
    ['that the modem knows itself', undefined, '00'],
    ['without digits', address('international', 1, ''), '0191'],
  ])('%s is encoded and decoded', (_what, value, hex) => {
    expect(hexFromOctets(encodeServiceCentreAddress(value))).toBe(hex)
    expect(decodeServiceCentreAddress(new OctetReader(octetsFromHex(hex)))).toEqual(value)
  })

  test.each([
    ['', 0, 'is missing'],
    ['07', 1, 'is missing'],
    ['0791728301', 2, 'needs 6 octets, 3 left'],
    // Some old modems list these octets for an empty slot in their storage.
    ['FFFFFFFF', 2, 'needs 254 octets, 2 left'],
  ])('%j is refused, and the error contains the offset', (hex, offset, reason) => {
    const reader = new OctetReader(octetsFromHex(hex))
    expect(() => decodeServiceCentreAddress(reader)).toThrow(new PduDecodeError('SCA', offset, reason))
  })
})

test('refuses a name as a service centre', () => {
  expect(() => encodeServiceCentreAddress(address('alphanumeric', 0, 'centre'))).toThrow(
    new PduEncodeError('SCA', 'is a name, not a number'),
  )
})

describe('an address as people write it', () => {
  test.each<[string, Address]>([
    ['+447700900123', address('international', 1, '447700900123')],
    ['07700900123', address('unknown', 1, '07700900123')],
    ['12345', address('unknown', 1, '12345')],
    ['*100#', address('unknown', 1, '*100#')],
    ['Zürich', address('alphanumeric', 0, 'Zürich')],
    ['A1', address('alphanumeric', 0, 'A1')],
    ['4 you', address('alphanumeric', 0, '4 you')],
    ['7-Eleven', address('alphanumeric', 0, '7-Eleven')],
    ['- . -', address('alphanumeric', 0, '- . -')],
  ])('%j is parsed to an address, which is displayed as the original text', (text, value) => {
    expect(addressFromText(text)).toEqual(value)
    expect(textFromAddress(value)).toBe(text)
  })

  test.each([
    ['', 'is empty'],
    ['+123456789012345678901', 'has 21 digits, the maximum is 20'],
    ['longer than eleven', 'is a name of 18 septets, the maximum is 11'],
    ['€€€€€€', 'is a name of 12 septets, the maximum is 11'],
    ['Привет', 'is a name with characters that the GSM 7 bit default alphabet does not have'],
  ])('%j is refused', (text, reason) => {
    expect(() => addressFromText(text)).toThrow(new PduEncodeError('address', reason))
  })
  test.each([
    '+44 7700 900123',
    '+44(0)7700',
    '07700-90012',
    '0770.090.01',
    '(0770)90012',
    '030/123456',
    ' 12345',
    '12345\n',
    '++4477009',
    '+',
  ])('%j is refused, because it is a number that would be encoded as a name', (text) => {
    expect(() => addressFromText(text)).toThrow(
      new PduEncodeError(
        'address',
        'looks like a phone number, but is not a valid one: write digits only, with a + in front of an international number',
      ),
    )
  })

  test('no error contains the number or the name', () => {
    const secrets = ['+44 7700 900123', '123456789012345678901', 'Anna & Bertram', 'Анна']
    for (const secret of secrets) {
      expect(() => addressFromText(secret)).toThrow(PduEncodeError)
      expect(() => addressFromText(secret)).not.toThrow(secret)
    }
    const wrongDigit = { typeOfNumber: 'national', numberingPlan: 1, value: '07700Q' } as const
    expect(() => encodeAddress(wrongDigit)).toThrow('character 6 is not one of')
    expect(() => encodeAddress(wrongDigit)).not.toThrow('Q')
  })
})

test('distinguishes a name from a number with the same digits only by the type', () => {
  const name = decode(hexFromOctets(encodeAddress(address('alphanumeric', 0, '+4477009'))))
  const number = addressFromText('+4477009')
  expect(textFromAddress(name)).toBe(textFromAddress(number))
  expect([name.typeOfNumber, number.typeOfNumber]).toEqual(['alphanumeric', 'international'])
})
