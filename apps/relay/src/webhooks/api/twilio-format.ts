import { areTwilioEvents, twilioReceivedEvents } from '@smsgw/contract/webhooks/twilio-events'
import type { Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { fieldError } from '../../http/errors/validation-error.ts'
import { mayDo } from '../../http/may-do.ts'
import { isStatusFormat } from '../status-callback.ts'

/**
 * Throws 403 if a webhook in Twilio's format would allow its receiver more than the caller may do. The receiver can
 * reply to each received message, and the limits of an API key would not apply to the replies.
 */
export function refuseReplies(principal: Principal, events: readonly string[]): void {
  if (!twilioReceivedEvents.some((event) => events.includes(event))) return
  if (!mayDo(principal, 'messages:send'))
    throw new ApiError(
      403,
      'scope required: messages:send, because the server behind the webhook URL can answer an incoming message with a message to send',
    )
  if (principal.key !== undefined && Object.keys(principal.key.limits).length > 0)
    throw new ApiError(
      403,
      "an API key with limits may not register a webhook in Twilio's format, because the limits of the key would not apply to the replies that the webhook sends",
    )
}

interface TwilioWebhook {
  readonly format: string | null
  readonly events: readonly string[]
}

/** Refuses changes of URL and events that the format of a webhook does not allow. */
export function refuseFormatChange(
  principal: Principal,
  { format, events }: TwilioWebhook,
  change: { readonly url?: string | undefined; readonly events?: readonly string[] | undefined },
): void {
  if (format === null || (change.url === undefined && change.events === undefined)) return
  if (isStatusFormat(format))
    throw new ApiError(
      409,
      'This webhook was created for the callback URLs of single messages: its URL and events cannot be changed',
    )
  const after = change.events ?? events
  if (!areTwilioEvents(after))
    throw fieldError('events', {
      reason: 'not_a_twilio_event',
      message: "contains events that cannot be sent in Twilio's format: register another webhook for them",
    })
  refuseReplies(principal, after)
}
