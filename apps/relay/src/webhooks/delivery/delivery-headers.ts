import { createHmac } from 'node:crypto'

export interface Signing {
  /** `id` of the envelope. */
  readonly id: string
  readonly body: string
  /** Of this attempt. */
  readonly unixSeconds: number
  /** The account's `webhooks.signing_key`, when it is set. */
  readonly signingKey: string | undefined
  /** The webhook's own, `whsec_…`; the one before it too, for a day after it was replaced. */
  readonly secret: string
  readonly previousSecret: string | undefined
}

/**
 * The headers of an attempt. Two signatures: `X-Signature`, which receivers of this API have always checked, and those of
 * Standard Webhooks. While a secret is being replaced the first keeps the old one, and the second names both.
 */
export function deliveryHeaders(signing: Signing): Record<string, string> {
  const { id, body, unixSeconds, signingKey, secret, previousSecret } = signing
  const timestamp = String(unixSeconds)
  const key = signingKey ?? previousSecret ?? secret
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  return {
    'content-type': 'application/json',
    'user-agent': 'smsgw',
    'accept-encoding': 'identity',
    'x-timestamp': timestamp,
    'x-signature': createHmac('sha256', key).update(`${body}${timestamp}`).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((one) => standardSignature(one, `${id}.${timestamp}.${body}`)).join(' '),
  }
}

/** Its key is what the secret says behind its prefix, decoded. */
function standardSignature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
