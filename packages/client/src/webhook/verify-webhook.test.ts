import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { type VerifyOptions, verifyWebhook } from './verify-webhook.ts'

// This test computes the signatures as docs/webhooks.md describes them.

const SECRET = `whsec_${Buffer.from('a key of 24 random bytes').toString('base64')}`
const NOW = 1_795_420_000
const body = JSON.stringify({
  deviceId: 'd',
  event: 'sms:received',
  id: 'e1',
  payload: { message: 'ä' },
  webhookId: 'w',
})

function headers({ secret = SECRET, at = NOW, text = body } = {}) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return {
    'webhook-id': 'e1',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${createHmac('sha256', key).update(`e1.${at}.${text}`).digest('base64')}`,
    'x-timestamp': String(at),
    'x-signature': createHmac('sha256', secret).update(`${text}${at}`).digest('hex'),
  }
}

const verify = (given: Record<string, string>, options: Partial<VerifyOptions> = {}, text = body) =>
  verifyWebhook({ headers: given, body: text }, { secret: SECRET, now: () => NOW * 1000, ...options })

test('returns the event of a genuine request, from text, bytes and any kind of headers', async () => {
  await expect(verify(headers())).resolves.toEqual(JSON.parse(body))
  const bytes = { headers: new Headers(headers()), body: Buffer.from(body) }
  await expect(verifyWebhook(bytes, { secret: SECRET, now: () => NOW * 1000 })).resolves.toMatchObject({ id: 'e1' })
})

test('accepts each of several secrets, and each of several signatures', async () => {
  const other = `whsec_${Buffer.from('another key').toString('base64')}`
  await expect(verify(headers({ secret: other }), { secret: [SECRET, other] })).resolves.toBeDefined()
  const two = `${headers({ secret: other })['webhook-signature']} ${headers()['webhook-signature']}`
  await expect(verify({ ...headers(), 'webhook-signature': two })).resolves.toBeDefined()
})

test('verifies X-Signature with the signing key of the account', async () => {
  const options = { secret: 'our signing key' }
  await expect(verify(headers(options), options)).resolves.toBeDefined()
  await expect(verify(headers(), options)).rejects.toMatchObject({ problem: 'wrong_signature' })
})

test('refuses every single changed bit of the body', async () => {
  const bytes = Buffer.from(body)
  for (let bit = 0; bit < bytes.length * 8; bit += 7) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const request = { headers: headers(), body: changed }
    await expect(verifyWebhook(request, { secret: SECRET, now: () => NOW * 1000 })).rejects.toMatchObject({
      problem: 'wrong_signature',
    })
  }
})

test.each([
  ['a signature with another secret', headers({ secret: 'whsec_b3RoZXI=' }), 'wrong_signature'],
  ['another id', { ...headers(), 'webhook-id': 'e2' }, 'wrong_signature'],
  [
    'an unknown kind of signature',
    { ...headers(), 'webhook-signature': headers()['webhook-signature'].replace('v1', 'v2') },
    'wrong_signature',
  ],
  ['a signature that is not base64', { ...headers(), 'webhook-signature': 'v1,***' }, 'wrong_signature'],
  [
    'half a signature',
    { ...headers(), 'webhook-signature': headers()['webhook-signature'].slice(0, 25) },
    'wrong_signature',
  ],
  ['a request of 301 s ago', headers({ at: NOW - 301 }), 'time_out_of_range'],
  ['a request from the future', headers({ at: NOW + 301 }), 'time_out_of_range'],
  ['a time that is not a number', { ...headers(), 'webhook-timestamp': '1e9' }, 'time_out_of_range'],
  ['no headers', {}, 'header_missing'],
])('refuses %s', async (_, given, problem) => {
  await expect(verify(given)).rejects.toMatchObject({ name: 'WebhookVerificationError', problem })
})

test('refuses a signed body that is not an event', async () => {
  for (const text of ['not JSON', '[]', '{}', 'null'])
    await expect(verify(headers({ text }), {}, text)).rejects.toMatchObject({ problem: 'not_an_event' })
})

test('a tolerance can be chosen', async () => {
  await expect(verify(headers({ at: NOW - 500 }), { toleranceSeconds: 600 })).resolves.toBeDefined()
})

test.each(['', [], ['whsec_***']])('a secret that cannot be valid (%j) is an error of the program', async (secret) => {
  await expect(verify(headers(), { secret })).rejects.toThrow(TypeError)
})
