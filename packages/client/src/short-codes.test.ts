import { isShortCode } from '@smsgw/contract/messages/numbers-as-written'
import { expect, test } from 'vitest'
import { areShortCodes } from './short-codes.ts'

test('recognises the same short codes as the gateway', () => {
  for (const number of ['72727', '110', '123456', '12', '1234567', '+4474', 'MYBANK', '', '727 27'])
    expect([number, areShortCodes([number])]).toEqual([number, isShortCode(number)])
  expect(areShortCodes(['72727', '110'])).toBe(true)
  expect(areShortCodes(['72727', '+447400123456'])).toBe(false)
})
