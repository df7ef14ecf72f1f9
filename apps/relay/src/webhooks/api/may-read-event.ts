import type { Scope } from '@smsgw/contract/access/scopes'
import { webhookEvents } from '@smsgw/contract/webhooks/webhook-event'
import type { Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { mayDo } from '../../http/may-do.ts'

/** Returns true if the caller may see the payload, because it has a scope to read the same content through the API. */
export function mayReadEvent(principal: Pick<Principal, 'scopes'>, event: string): boolean {
  const scopes = scopesToRead(event)
  return scopes.length === 0 || scopes.some((scope) => mayDo(principal, scope))
}

/** Returns the events whose payloads the caller may not read, with the scopes that the caller would need. */
export function unreadableEvents(principal: Pick<Principal, 'scopes'>): { event: string; scopes: string }[] {
  return webhookEvents
    .filter((event) => !mayReadEvent(principal, event))
    .map((event) => ({ event, scopes: scopesToRead(event).join(' or ') }))
}

/**
 * Events that were created for an earlier URL are sent to the present URL only if the caller may read them. Throws an
 * error otherwise.
 */
export function refuseUnreadable(principal: Pick<Principal, 'scopes'>, events: readonly string[]): void {
  const event = events.find((one) => !mayReadEvent(principal, one))
  if (event === undefined) return
  const scopes = scopesToRead(event).join(' or ')
  throw new ApiError(
    403,
    `scope required: ${scopes}. The URL of the webhook was changed after this ${event} event, and a redelivery would send the new URL an event that you may not read`,
  )
}

/**
 * Returns the scopes that allow a caller to read the event. One of them is sufficient. An empty list means that no
 * scope is required.
 */
function scopesToRead(event: string): readonly Scope[] {
  if (/:(received|data-received|downloaded)$/.test(event)) return ['inbox:list']
  // The payload of this event contains the numbers of the SIM cards.
  if (event === 'app:started') return ['devices:list']
  return event.startsWith('sms:') ? ['messages:list', 'messages:read'] : []
}
