import { createHmac, type KeyObject } from 'node:crypto'
import { partsNeeded } from '@smsgw/sms/segmentation/segment'
import { accountSid, mediaSid, messageSid } from '../../facades/twilio/sid.ts'
import { API_VERSION, twilioErrorCode } from '../../facades/twilio/twilio-values.ts'
import type { TwilioFacts } from '../outbox/event-payload.ts'

/** A delivery to a webhook in Twilio's format. */
interface TwilioDelivery {
  readonly id: string
  readonly accountId: string
  readonly event: string
  readonly payload: unknown
  /** URL of the webhook. */
  readonly url: string
  /** `PUBLIC_URL`, the beginning of the URLs of media. Without it, these URLs are paths. */
  readonly publicUrl: string | undefined
}

export interface UnsignedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const twilioHeadersOfAttempt = ['x-twilio-signature'] as const

/** Returns the request without its signature. It is the same for each attempt. */
export function twilioRequest(delivery: TwilioDelivery): UnsignedRequest {
  const payload = delivery.payload as Payload
  return {
    // Removes the fragment, because it is not sent and therefore not signed.
    url: twilioUrl(delivery.url, payload).split('#', 1)[0] ?? '',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      'user-agent': 'smsgw',
      accept: 'application/xml, text/xml, text/plain',
      'accept-encoding': 'identity',
      'i-twilio-idempotency-token': delivery.id,
    },
    body: new URLSearchParams(parametersOf(delivery, payload)).toString(),
  }
}

/** Returns the URL of the webhook, or the `StatusCallback` of the message. */
export function twilioUrl(url: string, payload: unknown): string {
  return (payload as Partial<Payload> | undefined)?.twilio?.statusCallback ?? url
}

/** The members of payloads that requests in Twilio's format use. */
interface Payload {
  readonly messageId: string
  readonly sender: string | null
  readonly recipient: string | null
  readonly message?: string
  /** The content of a downloaded MMS. */
  readonly body?: string
  readonly attachments?: readonly { readonly partId: number; readonly contentType: string }[]
  readonly twilio?: TwilioFacts
}

function parametersOf({ accountId, event, publicUrl }: TwilioDelivery, payload: Payload): Record<string, string> {
  const sid = messageSid(payload.twilio?.cmdId ?? payload.messageId)
  const status = statusOf(event, payload.twilio)
  const common = {
    AccountSid: accountSid(accountId),
    ApiVersion: API_VERSION,
    From: payload.sender ?? '',
    MessageSid: sid,
    SmsSid: sid,
    SmsStatus: status,
    To: payload.recipient ?? '',
  }
  if (status !== 'received') {
    const failed = status === 'failed' || status === 'undelivered'
    const error = failed ? { ErrorCode: String(twilioErrorCode(payload.twilio?.code ?? null)) } : undefined
    return { ...common, MessageStatus: status, ...error }
  }
  const { attachments = [] } = payload
  const text = payload.message ?? payload.body ?? ''
  const parts = { NumMedia: String(attachments.length), NumSegments: String(partsNeeded(text)) }
  const base = `${publicUrl?.replace(/\/+$/, '') ?? ''}/${API_VERSION}/Accounts/${common.AccountSid}/Messages/${sid}/Media`
  const media = attachments.flatMap(({ partId, contentType }, index) => [
    [`MediaContentType${index}`, contentType],
    [`MediaUrl${index}`, `${base}/${mediaSid(payload.messageId, partId)}`],
  ])
  return { ...common, SmsMessageSid: sid, Body: text, ...parts, ...Object.fromEntries(media) }
}

function statusOf(event: string, facts: TwilioFacts | undefined): string {
  switch (event) {
    case 'sms:sent':
      return 'sent'
    case 'sms:delivered':
      return 'delivered'
    case 'sms:cancelled':
      return 'canceled'
    case 'sms:failed':
      return facts?.wasSent === true ? 'undelivered' : 'failed'
    default:
      return 'received'
  }
}

/** Returns `X-Twilio-Signature`: HMAC-SHA1 of the URL and of all parameters, sorted by name. */
export function twilioSignature(key: KeyObject, { url, body }: Pick<UnsignedRequest, 'url' | 'body'>): string {
  const parameters = [...new URLSearchParams(body)].sort(([one], [other]) => (one < other ? -1 : 1))
  return createHmac('sha1', key)
    .update(url + parameters.map(([name, value]) => name + value).join(''))
    .digest('base64')
}
