import { expect, test } from 'vitest'
import { apiKeyRequest } from '../access/api-key.ts'
import { changeDeviceRequest } from '../devices/device.ts'
import { changeLabelRequest } from '../inbox/shared-inbox.ts'
import { pushSubscriptionRequest } from '../live/push.ts'
import { changeWebhookRequest, registerWebhookRequest } from '../webhooks/webhook.ts'
import { withoutUnsafe } from './name-text.ts'

const UNSAFE = ['\n', '\u001b', '\u009b', '\u202e', '\u2066', '\u200b', '\u2060', '\ufeff', '\u2028', '\u{e0041}']
const subscription = {
  endpoint: 'https://push.example.org/1',
  keys: { p256dh: Buffer.alloc(65).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') },
}
const webhook = { url: 'https://example.org/sms', event: 'sms:received' }
const places: readonly (readonly [string, (name: string) => { readonly success: boolean }])[] = [
  ['a label', (name) => changeLabelRequest.safeParse({ name })],
  ['a browser', (name) => pushSubscriptionRequest.safeParse({ ...subscription, name })],
  ['an API key', (name) => apiKeyRequest.safeParse({ name, scopes: ['messages:send'] })],
  ['a device', (name) => changeDeviceRequest.safeParse({ name })],
  ['a SIM', (name) => changeDeviceRequest.safeParse({ simCards: [{ simNumber: 1, name }] })],
  ['a new webhook', (name) => registerWebhookRequest.safeParse({ ...webhook, name })],
  ['a webhook', (name) => changeWebhookRequest.safeParse({ name })],
]

test.each(places)('the name of %s contains no control, bidirectional or invisible characters', (_, accepts) => {
  for (const unsafe of UNSAFE) expect(accepts(`bill${unsafe}ing`).success, JSON.stringify(unsafe)).toBe(false)
})

test.each(places)('the name of %s may contain the joiners of Persian and emoji', (_, accepts) => {
  for (const name of ['نمی\u200cخواهم', '👩\u200d💻 support', 'Büro 3']) expect(accepts(name).success, name).toBe(true)
})

test('a reported name loses the characters that are refused in a given name, and keeps all others', () => {
  expect(withoutUnsafe(` ${UNSAFE.join('')}bill${UNSAFE.join('')}ing ${UNSAFE.join('')}`)).toBe('billing')
  for (const name of ['نمی\u200cخواهم', '👩\u200d💻 support', 'Büro 3']) expect(withoutUnsafe(name)).toBe(name)
})
