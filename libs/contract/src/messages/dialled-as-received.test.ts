import { expect, test } from 'vitest'
import { isDialledAsReceived } from './dialled-as-received.ts'

test.each([
  ['1069012345678901', true],
  ['72727', true],
  ['+447400123456', true],
  ['MYBANK', false],
  ['+4474001234567890123456', false],
])('replies to %s as received: %s', (number, asReceived) => {
  expect(isDialledAsReceived(number)).toBe(asReceived)
})
