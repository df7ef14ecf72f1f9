import { expect, test } from 'vitest'
import { hasNoCountryCode, isShortCode } from './numbers-as-written.ts'

test.each([
  ['72727', true],
  ['110', true],
  ['12', false],
  ['4474001', false],
  ['+4474', false],
  ['MYBANK', false],
])('recognises that %s is a short code: %s', (number, isShort) => {
  expect(isShortCode(number)).toBe(isShort)
})

test.each([
  ['1069012345678901', true],
  ['72727', true],
  ['+447400123456', false],
  ['MYBANK', false],
])('replies to %s as written: %s', (number, asWritten) => {
  expect(hasNoCountryCode(number)).toBe(asWritten)
})
