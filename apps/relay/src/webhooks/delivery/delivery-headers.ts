import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

interface SigningSecrets {
  /** The account's `webhooks.signing_key`, when it is set. */
  readonly signingKey: string | undefined
  /** The webhook's own, `whsec_…`; the one before it too, for a day after it was replaced. */
  readonly secret: string
  readonly previousSecret: string | undefined
}

/** The same, ready for use: making a key of them costs as much as five signatures. */
export interface SigningKeys {
  /** Of `X-Signature`. */
  readonly plain: KeyObject
  /** Of Standard Webhooks, the newest first. */
  readonly standard: readonly KeyObject[]
}

/**
 * Two signatures: `X-Signature`, which receivers of this API have always checked, and those of Standard Webhooks. While a
 * secret is being replaced the first keeps the old one, and the second names both.
 */
export function signingKeys({ signingKey, secret, previousSecret }: SigningSecrets): SigningKeys {
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  return {
    plain: createSecretKey(Buffer.from(signingKey ?? previousSecret ?? secret)),
    // Of the second the key is what the secret says behind its prefix, decoded.
    standard: secrets.map((one) => createSecretKey(Buffer.from(one.replace(/^whsec_/, ''), 'base64'))),
  }
}

/** Those that are the same at each attempt. */
export function steadyHeaders(id: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'smsgw',
    'accept-encoding': 'identity',
    'webhook-id': id,
  }
}

export const headersOfAttempt = ['x-timestamp', 'x-signature', 'webhook-timestamp', 'webhook-signature'] as const

/** The headers of an attempt. */
export function deliveryHeaders(
  keys: SigningKeys,
  { id, body, unixSeconds }: { readonly id: string; readonly body: string; readonly unixSeconds: number },
): Record<string, string> {
  const timestamp = String(unixSeconds)
  const signed = `${id}.${timestamp}.${body}`
  return {
    ...steadyHeaders(id),
    'x-timestamp': timestamp,
    'x-signature': createHmac('sha256', keys.plain).update(`${body}${timestamp}`).digest('hex'),
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.standard
      .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      .join(' '),
  } satisfies Record<(typeof headersOfAttempt)[number], string>
}
