import { base64Of, bytesOf, hmacKey, joined, utf8, webCrypto } from '../http/web-crypto.ts'

export interface SignedRequest {
  /** The `id` of the webhook event. */
  readonly id: string
  /** The exact body that will be sent. */
  readonly body: string
  /** The secret of a webhook, `whsec_…`. */
  readonly secret: string
  /** The time of the request in seconds. Default: now. */
  readonly unixSeconds?: number
}

/** Returns the headers with which the gateway signs a request to a webhook. Use them to test a receiver. */
export async function signWebhook({
  id,
  body,
  secret,
  unixSeconds = Math.floor(Date.now() / 1000),
}: SignedRequest): Promise<Record<string, string>> {
  const key = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length), 'base64') : undefined
  if (key === undefined) throw new TypeError('secret is not valid: it must be "whsec_" followed by a key in base64')
  const timestamp = String(unixSeconds)
  const [standard, plain] = await Promise.all([
    hmac(key, joined(utf8(`${id}.${timestamp}.`), utf8(body))),
    hmac(utf8(secret), joined(utf8(body), utf8(timestamp))),
  ])
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64Of(standard)}`,
    'x-timestamp': timestamp,
    'x-signature': Array.from(plain, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
}

async function hmac(secret: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { subtle } = await webCrypto()
  return new Uint8Array(await subtle.sign('HMAC', await hmacKey(secret), data))
}
