import { expect, test } from 'vitest'
import { hexFromOctets, octetsFromHex } from '../octets.ts'
import { PduEncodeError } from '../pdu-error.ts'
import {
  decimalFromSemiOctets,
  digitsFromSemiOctets,
  semiOctetsFromDecimal,
  semiOctetsFromDigits,
} from './semi-octets.ts'

test.each([
  ['', ''],
  ['1', 'F1'],
  ['12', '21'],
  ['0123456789', '1032547698'],
  ['*#abc', 'BADCFE'],
])('encodes digits %j as %j', (digits, hex) => {
  expect(hexFromOctets(semiOctetsFromDigits(digits, 'TP-DA'))).toBe(hex)
  expect(digitsFromSemiOctets(octetsFromHex(hex), digits.length)).toBe(digits)
})

test.each([
  ['at the end', '21F3', 4, '123'],
  ['in the middle', '2F31', 4, '213'],
  ['alone', 'FFFF', 4, ''],
])('skips a filler %s', (_place, hex, count, digits) => {
  expect(digitsFromSemiOctets(octetsFromHex(hex), count)).toBe(digits)
})

test.each(['+', 'A', 'd', ' ', '١'])('refuses %j as a digit', (digit) => {
  for (const digits of [`1${digit}`, `${digit}1`, `12${digit}`]) {
    expect(() => semiOctetsFromDigits(digits, 'TP-DA')).toThrow(
      new PduEncodeError('TP-DA', `character ${digits.indexOf(digit) + 1} is not one of 0123456789*#abc`),
    )
  }
})

test('encodes every number of two digits in one octet with swapped digits', () => {
  expect([semiOctetsFromDecimal(0), semiOctetsFromDecimal(7), semiOctetsFromDecimal(42)]).toEqual([0x00, 0x70, 0x24])
  for (let value = 0; value <= 99; value++) expect(decimalFromSemiOctets(semiOctetsFromDecimal(value))).toBe(value)
})

test.each([0xa0, 0x0a, 0xff])('refuses octet %i, which is not a decimal number', (octet) => {
  expect(decimalFromSemiOctets(octet)).toBeUndefined()
})
