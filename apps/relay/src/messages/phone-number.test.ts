import { expect, test } from 'vitest'
import { normaliseNumber } from './phone-number.ts'

const international = { region: undefined, skipValidation: false }
const german = { region: 'DE', skipValidation: false } as const
const dialled = { region: undefined, skipValidation: true }

test.each([
  ['+4915112345678', '+4915112345678'],
  ['+49 (151) 123-456.78', '+4915112345678'],
  ['4915112345678', '+4915112345678'],
  ['  14155550123 ', '+14155550123'],
  // A landline: valid, and some can receive.
  ['+493012345678', '+493012345678'],
])('reads %s as %s without a region', (text, number) => {
  expect(normaliseNumber(text, international)).toEqual({ ok: true, number })
})

test.each([
  ['015112345678', '+4915112345678'],
  ['0151 12345678', '+4915112345678'],
  ['15112345678', '+4915112345678'],
  ['+14155550123', '+14155550123'],
  // Digits are an international number if they can be one.
  ['4915112345678', '+4915112345678'],
])('reads %s as %s in Germany', (text, number) => {
  expect(normaliseNumber(text, german)).toEqual({ ok: true, number })
})

test.each([
  ['', 'is no phone number'],
  ['hello', 'is no phone number'],
  ['call +4915112345678 now', 'is no phone number'],
  ['015112345678', 'must be international, with + and the code of a country that exists'],
  ['+999123456', 'must be international, with + and the code of a country that exists'],
  ['+1', 'is too short'],
  ['+49151123456789012345', 'is too long'],
  ['+4915112345678 ext. 5', 'has an extension, which an SMS cannot reach'],
  ['+447700900123', 'is not in the numbering plan of +44'],
])('refuses %s and says why', (text, reason) => {
  expect(normaliseNumber(text, international)).toEqual({ ok: false, reason })
})

test.each([
  ['12345', '12345'],
  ['+999 (12) 34-56/7', '+9991234567'],
  ['*100#', '*100#'],
])('lets %s through unchecked as %s', (text, number) => {
  expect(normaliseNumber(text, dialled)).toEqual({ ok: true, number })
})

test.each(['', 'hello', '1+2', '+', '123456789012345678901', '12;34'])('refuses %s, which no modem dials', (text) => {
  expect(normaliseNumber(text, dialled).ok).toBe(false)
})
