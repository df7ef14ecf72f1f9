import { SmsGatewayError } from '../errors.ts'
import { bytesOf, hmacKey, joined, utf8, webCrypto } from '../http/web-crypto.ts'
import type { webhooks } from '../openapi.ts'

/** The body of a request to a webhook. `event` determines the type of `payload`. */
export type WebhookEvent = {
  [Name in keyof webhooks]: webhooks[Name]['post']['requestBody']['content']['application/json']
}[keyof webhooks]

/**
 * The headers in the form of any server: `Headers`, the headers of node:http, or a plain object with lower-case names.
 */
export type IncomingHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookRequest {
  readonly headers: IncomingHeaders
  /** The exact body that was received. A parsed body cannot be verified. */
  readonly body: Uint8Array | string
}

export interface VerifyOptions {
  /**
   * The secret of the webhook (`whsec_…`), or the `signing_key` of the account. Several secrets may be passed while the
   * secret is being changed. A request is genuine if one of them matches.
   */
  readonly secret: string | readonly string[]
  /** The largest difference between the time of the request and the clock of this machine. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  readonly now?: (() => number) | undefined
}

export type WebhookProblem = 'header_missing' | 'time_out_of_range' | 'wrong_signature' | 'not_an_event'

/** The request is not from the gateway, is too old, or was changed on the way. Answer with 401. */
export class WebhookVerificationError extends SmsGatewayError {
  override readonly name = 'WebhookVerificationError'
  readonly problem: WebhookProblem

  constructor(problem: WebhookProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

const TOLERANCE_SECONDS = 300

/**
 * Verifies signature and time of a request to a webhook and returns its event. Compares the signatures in constant
 * time. The same event may arrive more than once, always with the same `id`.
 */
export async function verifyWebhook(
  { headers, body }: WebhookRequest,
  { secret, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyOptions,
): Promise<WebhookEvent> {
  const raw = typeof body === 'string' ? utf8(body) : joined(body)
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0 || secrets.includes('')) throw new TypeError('secret must not be empty')
  const standard = secrets.filter((one) => one.startsWith('whsec_'))
  const plain = secrets.filter((one) => !one.startsWith('whsec_'))
  const isGenuine =
    (standard.length > 0 && (await hasStandardSignature(headers, raw, standard, { toleranceSeconds, now }))) ||
    (plain.length > 0 && (await hasPlainSignature(headers, raw, plain, { toleranceSeconds, now })))
  if (!isGenuine)
    throw new WebhookVerificationError('wrong_signature', 'the signature does not match the body and the secret')
  return eventOf(raw)
}

type Clock = Required<{ toleranceSeconds: number; now: () => number }>

/** Computes the signature of Standard Webhooks over `<id>.<timestamp>.<body>`. */
async function hasStandardSignature(
  headers: IncomingHeaders,
  body: Uint8Array,
  secrets: readonly string[],
  clock: Clock,
): Promise<boolean> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = timestampOf(headers, 'webhook-timestamp', clock)
  const given = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? (bytesOf(one.slice('v1,'.length), 'base64') ?? []) : []))
  const keys = secrets.map((secret) => {
    const key = bytesOf(secret.slice('whsec_'.length), 'base64')
    if (key === undefined)
      throw new TypeError('secret is not valid: copy the secret of the webhook again; it begins with whsec_')
    return key
  })
  return isSigned(keys, joined(utf8(`${id}.${timestamp}.`), body), given)
}

/** Computes the header `X-Signature` over `<body><timestamp>`, with the signing key of the account if it is set. */
async function hasPlainSignature(
  headers: IncomingHeaders,
  body: Uint8Array,
  secrets: readonly string[],
  clock: Clock,
): Promise<boolean> {
  const timestamp = timestampOf(headers, 'x-timestamp', clock)
  const given = bytesOf(headerOf(headers, 'x-signature'), 'hex')
  return isSigned(secrets.map(utf8), joined(body, utf8(timestamp)), given === undefined ? [] : [given])
}

async function isSigned(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
  given: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const { subtle } = await webCrypto()
  for (const key of await Promise.all(keys.map(hmacKey))) {
    for (const signature of given) if (await subtle.verify('HMAC', key, signature, signed)) return true
  }
  return false
}

function timestampOf(headers: IncomingHeaders, name: string, { toleranceSeconds, now }: Clock): string {
  const timestamp = headerOf(headers, name)
  const isInTime = /^\d{1,12}$/.test(timestamp) && Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds
  if (isInTime) return timestamp
  const message = `the time of the request differs from the clock of this machine by more than ${toleranceSeconds} s`
  throw new WebhookVerificationError('time_out_of_range', message)
}

function headerOf(headers: IncomingHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError('header_missing', `the header ${name} is missing`)
}

function eventOf(body: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event === 'object' && event !== null && 'event' in event && 'payload' in event)
      return event as WebhookEvent
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause
  }
  throw new WebhookVerificationError('not_an_event', 'the body is not an event in JSON')
}
