import { expect, test } from 'vitest'
import { isShortCode } from './short-code.ts'

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
