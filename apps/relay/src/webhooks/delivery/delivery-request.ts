import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

interface SigningSecrets {
  /** The account's `webhooks.signing_key`, if set. */
  readonly signingKey: string | undefined
  /** The webhook's own secret, `whsec_…`, and for a day after a rotation the previous secret. */
  readonly secret: string
  readonly previousSecret: string | undefined
}

/** Key objects made from the secrets. Creating them costs as much as five signatures. */
export interface WebhookKeys {
  /** The key for `X-Signature`. */
  readonly plain: KeyObject
  /** The keys for Standard Webhooks, newest first. */
  readonly standard: readonly KeyObject[]
}

/**
 * Returns the keys for two kinds of signatures: `X-Signature`, which existing receivers of this API check, and Standard
 * Webhooks. For a day after a rotation, `X-Signature` uses the old secret, and the header of Standard Webhooks contains
 * a signature with each of the two secrets.
 */
export function signingKeys({ signingKey, secret, previousSecret }: SigningSecrets): WebhookKeys {
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  return {
    plain: createSecretKey(Buffer.from(signingKey ?? previousSecret ?? secret)),
    // The key for Standard Webhooks is the decoded part after the prefix.
    standard: secrets.map((one) => createSecretKey(Buffer.from(one.replace(/^whsec_/, ''), 'base64'))),
  }
}

/** Returns the headers that are the same for each attempt. */
export function steadyHeaders(id: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'smsgw',
    'accept-encoding': 'identity',
    'webhook-id': id,
  }
}

export const headersOfAttempt = ['x-timestamp', 'x-signature', 'webhook-timestamp', 'webhook-signature'] as const

/** Returns the headers that differ for each attempt. */
export function deliveryHeaders(
  keys: WebhookKeys,
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

interface ReportedEvent {
  readonly id: string
  readonly deviceId: string
  readonly event: string
  readonly payload: unknown
}

/** Returns the body of the request: the event with its payload. */
export function deliveryBody(webhookId: string, { deviceId, event, id, payload }: ReportedEvent): string {
  return JSON.stringify({ deviceId, event, id, payload, webhookId })
}
