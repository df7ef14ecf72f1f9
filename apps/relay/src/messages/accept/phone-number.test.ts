import { type CountryCode, getCountries, getExampleNumber, type PhoneNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, test } from 'vitest'
import { normaliseNumber, storedSpellings } from './phone-number.ts'

const international = { region: undefined, skipValidation: false }
const dialled = { region: undefined, skipValidation: true }

test.each([
  ['+4915112345678', '+4915112345678'],
  ['+49 (151) 123-456.78', '+4915112345678'],
  ['4915112345678', '+4915112345678'],
  ['49 (151) 123-456.78', '+4915112345678'],
  ['  14155550123 ', '+14155550123'],
  ['0014155550123', '+14155550123'],
  ['00 49 (151) 12345678', '+4915112345678'],
  // Landline numbers are valid, and some can receive SMS.
  ['+493012345678', '+493012345678'],
])('reads %s as %s without a region', (text, number) => {
  expect(normaliseNumber(text, international)).toEqual({ ok: true, number })
})

test.each<[CountryCode, string, string]>([
  ['DE', '015112345678', '+4915112345678'],
  ['DE', '0151 12345678', '+4915112345678'],
  ['DE', '15112345678', '+4915112345678'],
  ['DE', '+14155550123', '+14155550123'],
  ['DE', '0014155550123', '+14155550123'],
  // This is a mobile number without its `+`, although a landline in area 04915 has the same digits after its leading 0.
  ['DE', '4915112345678', '+4915112345678'],
  ['DE', '0491512345678', '+49491512345678'],
  // This is a national number, although with a `+` it would be a number in Egypt.
  ['US', '2015550123', '+12015550123'],
  ['US', '(201) 555-0123', '+12015550123'],
  ['US', '12015550123', '+12015550123'],
  ['US', '+20 155 501 2345', '+201555012345'],
  // This number counts as international, because it is not valid in the region.
  ['US', '447400123456', '+447400123456'],
  ['GB', '4915112345678', '+4915112345678'],
])('reads, in region %s, %s as %s', (region, text, number) => {
  expect(normaliseNumber(text, { region, skipValidation: false })).toEqual({ ok: true, number })
})

describe("each region's example of a mobile number", () => {
  const regions = getCountries().map((region): [CountryCode, PhoneNumber] => [region, exampleOf(region)])
  const read = (text: string, region: CountryCode | undefined) => {
    const result = normaliseNumber(text, { region, skipValidation: false })
    return result.ok ? result.number : result.message
  }
  const different = (spell: (number: PhoneNumber) => string, regionOf: (own: CountryCode) => CountryCode | undefined) =>
    regions
      .map(([region, number]) => [region, spell(number), read(spell(number), regionOf(region)), number.number])
      .filter(([, , result, expected]) => result !== expected)
  const itsOwn = (own: CountryCode) => own
  const digitsOf = (number: PhoneNumber) => number.number.slice(1)

  test("each region's example of a mobile number is recognised in its region as written there, with and without punctuation and trunk prefix", () => {
    expect(different((number) => number.formatNational(), itsOwn)).toEqual([])
    expect(different((number) => number.formatNational().replace(/\D/g, ''), itsOwn)).toEqual([])
    expect(different((number) => number.nationalNumber, itsOwn)).toEqual([])
  })

  // The regions have the international prefixes 011, 0011, 010, 0xx and 00.
  test.each([undefined, 'US', 'AU', 'JP', 'BR', 'DE'] as const)(
    "each region's example of a mobile number is recognised after + and 00 in region %s",
    (region) => {
      const inRegion = () => region
      expect(different((number) => number.number, inRegion)).toEqual([])
      expect(different((number) => `00${digitsOf(number)}`, inRegion)).toEqual([])
    },
  )

  test("each region's example of a mobile number is recognised after + and 00 in its own region", () => {
    expect(different((number) => number.number, itsOwn)).toEqual([])
    expect(different((number) => `00${digitsOf(number)}`, itsOwn)).toEqual([])
  })

  test("each region's example of a mobile number is recognised without + if no region is set, and in its own region", () => {
    expect(different(digitsOf, () => undefined)).toEqual([])
    expect(different(digitsOf, itsOwn)).toEqual([])
  })

  function exampleOf(region: CountryCode): PhoneNumber {
    const number = getExampleNumber(region, examples)
    if (number === undefined) throw new Error(`${region} has no example`)
    return number
  }
})

test.each<[string, CountryCode | undefined, readonly string[]]>([
  ['+447400123456', 'GB', ['+447400123456']],
  ['07400 123456', 'GB', ['07400 123456', '+447400123456']],
  ['447400123456', undefined, ['447400123456', '+447400123456']],
  ['07400123456', undefined, ['07400123456']],
  ['MyBank', 'GB', ['MyBank']],
])('searches for %s in region %s as %o', (text, region, spellings) => {
  expect(storedSpellings(text, region)).toEqual(spellings)
})

test.each([
  ['', 'is not a valid phone number: use the international format, for example +447400123456'],
  ['hello', 'is not a valid phone number: use the international format, for example +447400123456'],
  ['call +4915112345678 now', 'is not a valid phone number: use the international format, for example +447400123456'],
  ['015112345678', 'has no valid country code: use the international format, for example +447400123456'],
  ['+999123456', 'has no valid country code: use the international format, for example +447400123456'],
  ['+1', 'is too short for a phone number'],
  ['+49151123456789012345', 'is too long for a phone number'],
  ['+4915112345678 ext. 5', 'has an extension, which SMS does not support'],
  ['+447700900123', 'is not in the numbering plan of +44'],
  [
    '72727',
    'is not in the numbering plan of +7: to send to a short code, use POST /3rdparty/v1/messages?allowShortCodes=true',
  ],
  ['0800', 'has no valid country code: to send to a short code, use POST /3rdparty/v1/messages?allowShortCodes=true'],
])('refuses %s with a reason', (text, reason) => {
  expect(normaliseNumber(text, international)).toEqual({
    ok: false,
    reason: expect.stringMatching(/^phone_number_/),
    message: reason,
  })
})

test.each<[CountryCode | undefined, string, string]>([
  [undefined, '72727', '72727'],
  [undefined, '727-27', '72727'],
  [undefined, '110', '110'],
  [undefined, '112', '112'],
  [undefined, '911', '911'],
  ['DE', '110', '110'],
  ['US', '911', '911'],
  // This would be a valid landline number in Germany.
  ['DE', '564227', '564227'],
  ['AD', '72727', '72727'],
  ['AD', '112', '112'],
  // In these countries, mobile numbers are as short.
  ['AD', '564227', '+376564227'],
  ['AD', '564 227', '+376564227'],
  ['CK', '71234', '+68271234'],
  ['GL', '221234', '+299221234'],
  // Other numbers are checked and normalised as usual.
  ['DE', '015112345678', '+4915112345678'],
  [undefined, '+447400123456', '+447400123456'],
])('if short codes are allowed, reads, in region %s, %s as %s', (region, text, number) => {
  expect(normaliseNumber(text, { region, skipValidation: false, allowShortCodes: true })).toEqual({ ok: true, number })
})

test.each(['12', '1234567', '+72727', '*100#', 'MYBANK', ''])(
  'refuses %s even if short codes are allowed, and names no parameter',
  (text) => {
    const read = normaliseNumber(text, { ...international, allowShortCodes: true })
    expect(read).toEqual({ ok: false, reason: expect.any(String), message: expect.not.stringContaining('POST') })
  },
)

test.each([
  ['12345', '12345'],
  ['+999 (12) 34-56/7', '+9991234567'],
  ['*100#', '*100#'],
])('accepts %s without a check as %s', (text, number) => {
  expect(normaliseNumber(text, dialled)).toEqual({ ok: true, number })
})

test.each(['', 'hello', '1+2', '+', '123456789012345678901', '12;34'])(
  'refuses %s, which no modem can dial',
  (text) => {
    expect(normaliseNumber(text, dialled).ok).toBe(false)
  },
)
