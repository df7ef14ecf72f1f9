import { expect, test } from 'vitest'
import { hasNoCountryCode } from './numbers-as-written.ts'

test.each([
  ['1069012345678901', true],
  ['72727', true],
  ['+447400123456', false],
  ['MYBANK', false],
])('replies to %s as written: %s', (number, asWritten) => {
  expect(hasNoCountryCode(number)).toBe(asWritten)
})
