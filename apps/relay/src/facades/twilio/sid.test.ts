import { expect, test } from 'vitest'
import { accountSid, deviceServiceSid, idOfSid, messageSid } from './sid.ts'

test('a SID is stable and contains the id', () => {
  const id = 'Xk2Zt7vQ9sLrB4mNdP1a-'
  expect(messageSid(id)).toMatch(/^SM[0-9a-f]{32}$/)
  expect(idOfSid(messageSid(id), 'SM')).toBe(id)
  expect(idOfSid(messageSid(id).toUpperCase().replace('SM', 'SM'), 'SM')).toBe(id)
  expect(idOfSid(deviceServiceSid(id), 'MG')).toBe(id)
  expect(idOfSid(messageSid(id), 'MG')).toBeUndefined()
  expect(idOfSid(`SM${'f'.repeat(32)}`, 'SM')).toBeUndefined()
  expect(accountSid('one')).not.toBe(accountSid('two'))
})
