import { expect, test } from 'vitest'
import { recipientOf, replyAddress } from './reply-address.ts'

const NOW = Date.UTC(2026, 10, 23)
const DAY_MS = 86_400_000
const read = (address: string, now = NOW) => recipientOf(address, 'sms.example.org', 'secret', now)

test('reads a phone number', () => {
  expect(read('+447400123456@sms.example.org')).toEqual({ number: '+447400123456', isReply: false })
  expect(read('07400123456@SMS.example.org')).toEqual({ number: '07400123456', isReply: false })
})

test.each([
  'anna@sms.example.org',
  '+447400123456@example.org',
  '+447400123456',
  '@sms.example.org',
  '+44 74@sms.example.org',
])('refuses %s', (address) => {
  expect(read(address)).toHaveProperty('problem')
})

test.each(['+447400123456', '72772'])('reads the reply address of %s, also in capital letters', (number) => {
  const address = replyAddress(number, 'sms.example.org', 'secret', NOW)
  expect(address.indexOf('@')).toBeLessThanOrEqual(64)
  expect(read(address)).toEqual({ number, isReply: true })
  expect(read(address.toUpperCase())).toEqual({ number, isReply: true })
  expect(read(address, NOW + 30 * DAY_MS)).toEqual({ number, isReply: true })
})

test('refuses a reply address that is expired, changed, or signed by another gateway', () => {
  const address = replyAddress('+447400123456', 'sms.example.org', 'secret', NOW)
  expect(read(address, NOW + 31 * DAY_MS)).toMatchObject({ isExpired: true })
  expect(read(address.replace('3456', '3457'))).toHaveProperty('problem')
  expect(read(address.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@')))).toHaveProperty('problem')
  expect(read(replyAddress('+447400123456', 'sms.example.org', 'other', NOW))).toHaveProperty('problem')
})
