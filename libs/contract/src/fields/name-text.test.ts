import { expect, test } from 'vitest'
import { apiKeyRequest } from '../access/api-key.ts'
import { changeLabelRequest } from '../inbox/shared-inbox.ts'
import { pushSubscriptionRequest } from '../live/push.ts'

const subscription = {
  endpoint: 'https://push.example.org/1',
  keys: { p256dh: Buffer.alloc(65).toString('base64url'), auth: Buffer.alloc(16).toString('base64url') },
}
const places: readonly (readonly [string, (name: string) => { readonly success: boolean }])[] = [
  ['a label', (name) => changeLabelRequest.safeParse({ name })],
  ['a browser', (name) => pushSubscriptionRequest.safeParse({ ...subscription, name })],
  ['an API key', (name) => apiKeyRequest.safeParse({ name, scopes: ['messages:send'] })],
]

test.each(places)('the name of %s contains no control, bidirectional or invisible characters', (_, accepts) => {
  for (const unsafe of [
    '\n',
    '\u001b',
    '\u009b',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u2060',
    '\ufeff',
    '\u2028',
    '\u{e0041}',
  ])
    expect(accepts(`bill${unsafe}ing`).success, JSON.stringify(unsafe)).toBe(false)
})

test.each(places)('the name of %s may contain the joiners of Persian and emoji', (_, accepts) => {
  for (const name of ['نمی\u200cخواهم', '👩\u200d💻 support', 'Büro 3']) expect(accepts(name).success, name).toBe(true)
})
