import { sendMessageRequest } from '@smsgw/contract/messages/message'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checked } from './validation-error.ts'

const message = { phoneNumbers: ['+447400123456'], textMessage: { text: 'Hello' } }

test.each([
  [1e17, 'ttl must be at most 2147483647'],
  [2_147_483_648, 'ttl must be at most 2147483647'],
  [-1e17, 'ttl must be at least 5'],
])('an integer of %d is refused with the limit of its field only', (ttl, sentence) => {
  expect(() => checked(sendMessageRequest, { ...message, ttl }, 'body')).toThrow(
    expect.objectContaining({ message: sentence, errors: [expect.objectContaining({ path: 'ttl' })] }),
  )
})

test('an integer without a limit of its own is refused with the largest integer of JavaScript', () => {
  expect(() => checked(z.object({ size: z.int() }), { size: 1e17 }, 'body')).toThrow(
    'size must be at most 9007199254740991',
  )
})

test('the time to refuse many huge integers grows only with their number', () => {
  const sizes = Array.from({ length: 10_000 }, () => 1e99)
  const before = process.cpuUsage()
  expect(() => checked(z.object({ sizes: z.array(z.int().max(64)) }), { sizes }, 'body')).toThrow(
    'sizes[0] must be at most 64 (and 9999 more)',
  )
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000)
})
