import { z } from 'zod'
import { inboxType } from './inbox.ts'
import { messageStates } from './message-states.ts'
import { requestQuery } from './request-query.ts'
import type { Scope } from './scopes.ts'
import { deliveryStates } from './webhook.ts'

const id = z.string()

/** What is told of each kind: enough to know what to read anew. */
export const liveEventData = {
  'message.created': z.object({ id }),
  'message.changed': z.object({ id, state: z.enum(messageStates) }),
  'inbox.received': z.object({ id, sender: z.string(), type: inboxType }),
  'device.changed': z.object({ id }),
  'device.telemetry': z.object({ id }),
  'webhook.attempted': z.object({ webhookId: id, deliveryId: id, state: z.enum(deliveryStates) }),
  'webhook.changed': z.object({ id }),
  'log.added': z.object({ id: z.int(), priority: z.string(), module: z.string(), message: z.string() }),
  'settings.changed': z.object({}),
} as const

export type LiveEventKind = keyof typeof liveEventData

export type LiveEvents = { readonly [Kind in LiveEventKind]: z.output<(typeof liveEventData)[Kind]> }

export const liveEventKinds = Object.keys(liveEventData) as LiveEventKind[]

/** Any of which shows events of the kind; by the first word of its name. */
const scopesOfFirstWord = {
  message: ['messages:read', 'messages:list'],
  inbox: ['inbox:list'],
  device: ['devices:list'],
  webhook: ['webhooks:list'],
  log: ['logs:read'],
  settings: ['settings:read'],
} as const satisfies Record<string, readonly Scope[]>

export const liveEventScopes: readonly Scope[] = Object.values(scopesOfFirstWord).flat()

export function scopesOfLiveEvent(kind: LiveEventKind): readonly Scope[] {
  return scopesOfFirstWord[kind.split('.', 1)[0] as keyof typeof scopesOfFirstWord]
}

const kinds = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.enum(liveEventKinds, { error: `must be a list of ${liveEventKinds.join(', ')}` })))

export const liveEventsQuery = requestQuery({
  kinds: kinds.optional().meta({ description: 'Only these, separated by commas', type: 'string' }),
  lastEventId: z.string().max(200).optional().meta({ description: 'The same as the header `Last-Event-ID`' }),
})
