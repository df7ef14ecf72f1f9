import { expect, test } from 'vitest'
import { signWebhook } from './sign-webhook.ts'
import { verifyWebhook } from './verify-webhook.ts'

const secret = 'whsec_YSBrZXkgb2YgMjQgcmFuZG9tIGJ5dGVz'
const body = '{"deviceId":"d","event":"sms:received","id":"e1","payload":{"message":"ä"},"webhookId":"w"}'

test('a signed request is genuine only with its secret, and only near its time', async () => {
  const headers = await signWebhook({ id: 'e1', body, secret })
  await expect(verifyWebhook({ headers, body }, { secret })).resolves.toMatchObject({ id: 'e1' })
  const old = await signWebhook({ id: 'e1', body, secret, unixSeconds: 1_000_000_000 })
  await expect(verifyWebhook({ headers: old, body }, { secret })).rejects.toMatchObject({
    problem: 'time_out_of_range',
  })
})

test('X-Signature has the value that existing receivers check', async () => {
  const headers = await signWebhook({ id: 'e1', body: '{}', secret: 'whsec_a2V5', unixSeconds: 1_700_000_000 })
  // printf '{}1700000000' | openssl dgst -sha256 -hmac whsec_a2V5
  expect(headers['x-signature']).toBe('e404353963fb7a9bee44ecedcc919773ac076ba656c71e972cdc4b8eeb7b169a')
})

test('a secret in another format causes a TypeError', async () => {
  await expect(signWebhook({ id: 'e1', body, secret: 'secret' })).rejects.toThrow('secret is not valid')
})
