import { isDialledAsReceived } from '@smsgw/contract/messages/dialled-as-received'
import { sendMessageQuery, sendMessageRequest } from '@smsgw/contract/messages/message'
import { isStorable } from '../http/body/refuse-unstorable.ts'
import type { Principal } from '../http/endpoint.ts'
import { checked, fieldError } from '../http/errors/validation-error.ts'
import type { AcceptedRequest, AcceptRequest } from '../messages/accept/accept-request.ts'
import { type StatusCallback, storedCallback } from '../webhooks/status-callback.ts'

/** A text as an interface of another product requests it. */
export interface RequestedText {
  readonly principal: Principal
  readonly phoneNumbers: readonly string[]
  readonly text: string
  /** True if the recipients are senders of received messages. Each is dialled as the network reported it. */
  readonly isReply?: boolean
  readonly priority?: number | undefined
  readonly simNumber?: number | undefined
  readonly deviceId?: string | undefined
  readonly scheduleAt?: Date | undefined
  readonly ttlSeconds?: number | undefined
  readonly statusCallback?: StatusCallback | undefined
  /** A repeated request with the same key is accepted only once. */
  readonly idempotencyKey?: string | undefined
  /** The content that two requests with the same key must have in common. Default: everything. */
  readonly identity?: unknown
}

/**
 * Sends a text with the checks of `POST /messages`, and accepts short codes. Throws an `ApiError` if the message is
 * refused.
 */
export async function sendFacadeText(accept: AcceptRequest, requested: RequestedText): Promise<AcceptedRequest> {
  const { principal, text, isReply, ttlSeconds, scheduleAt, idempotencyKey, identity, statusCallback, ...rest } =
    requested
  if (!isStorable(text)) throw fieldError('text', 'contains a NUL character or a lone surrogate: remove it')
  const body = checked(
    sendMessageRequest,
    {
      ...rest,
      textMessage: { text },
      ttl: ttlSeconds,
      scheduleAt: scheduleAt?.toISOString(),
    },
    'body',
  )
  const skipPhoneValidation = isReply === true && requested.phoneNumbers.every(isDialledAsReceived)
  const query = checked(
    sendMessageQuery,
    // These interfaces have no parameter for short codes.
    { skipPhoneValidation: String(skipPhoneValidation), allowShortCodes: 'true' },
    'query',
  )
  return await accept({
    principal,
    body,
    query,
    idempotencyKey,
    identity,
    statusCallback: statusCallback && storedCallback(statusCallback),
  })
}
