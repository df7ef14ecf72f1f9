import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { deliveryHeaders, signingKeys } from './delivery-request.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const OLDER = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const about = { id: '5f0c', body: '{"message":"Zürich 👍"}', unixSeconds: 1_772_351_171 }
const headersOf = (secrets: { signingKey?: string; secret?: string; previousSecret?: string }) =>
  deliveryHeaders(signingKeys({ signingKey: undefined, secret: SECRET, previousSecret: undefined, ...secrets }), about)

/** Another program computed this signature. */
function hmac(key: Buffer, signed: string): Buffer {
  const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key.toString('hex')}`, '-binary']
  return execFileSync('openssl', args, { input: signed })
}

const plain = (key: string) => hmac(Buffer.from(key), `${about.body}${about.unixSeconds}`).toString('hex')
const standard = (secret: string) => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${hmac(key, `${about.id}.${about.unixSeconds}.${about.body}`).toString('base64')}`
}

test('both signatures use the secret of the webhook, one as text and the other decoded', () => {
  expect(headersOf({})).toMatchObject({
    'x-timestamp': '1772351171',
    'x-signature': plain(SECRET),
    'webhook-id': '5f0c',
    'webhook-timestamp': '1772351171',
    'webhook-signature': standard(SECRET),
  })
})

test('the signing key of the account replaces the secret in X-Signature only', () => {
  expect(headersOf({ signingKey: 'swordfish' })).toMatchObject({
    'x-signature': plain('swordfish'),
    'webhook-signature': standard(SECRET),
  })
})

test('after a rotation X-Signature uses the old secret, and webhook-signature lists both', () => {
  expect(headersOf({ previousSecret: OLDER })).toMatchObject({
    'x-signature': plain(OLDER),
    'webhook-signature': `${standard(SECRET)} ${standard(OLDER)}`,
  })
})
