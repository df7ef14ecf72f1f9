import { z } from 'zod'
import type { Scope } from '../access/scopes.ts'
import { requestQuery } from '../fields/request-query.ts'
import { inboxType } from '../inbox/inbox.ts'
import { messageStates } from '../messages/message-states.ts'
import { deliveryStates } from '../webhooks/webhook.ts'

const id = z.string()

/** The data of each kind of event, which shows the client what to reload. */
export const liveEventData = {
  'message.created': z.object({ id }),
  'message.changed': z.object({ id, state: z.enum(messageStates) }),
  'inbox.received': z.object({ id, sender: z.string(), type: inboxType }),
  'conversation.changed': z.object({ number: z.string() }),
  'labels.changed': z.object({}),
  'device.changed': z.object({ id }),
  'device.telemetry': z.object({ id }),
  'device.waiting': z.object({ id }),
  'webhook.attempted': z.object({ webhookId: id, deliveryId: id, state: z.enum(deliveryStates) }),
  'webhook.changed': z.object({ id }),
  'log.added': z.object({ id: z.int(), priority: z.string(), module: z.string(), message: z.string() }),
  'settings.changed': z.object({}),
} as const

export type LiveEventKind = keyof typeof liveEventData

export type LiveEventContents = { readonly [Kind in LiveEventKind]: z.output<(typeof liveEventData)[Kind]> }

export const liveEventKinds = Object.keys(liveEventData) as LiveEventKind[]

/** The scopes for each kind of event, by the first word of its name. One of the scopes is sufficient. */
const scopesOfFirstWord = {
  message: ['messages:read', 'messages:list'],
  inbox: ['inbox:list'],
  conversation: ['conversations:read'],
  labels: ['conversations:read'],
  device: ['devices:list'],
  webhook: ['webhooks:list'],
  log: ['logs:read'],
  settings: ['settings:read'],
} as const satisfies Record<string, readonly Scope[]>

export const liveEventScopes: readonly Scope[] = [...new Set(Object.values(scopesOfFirstWord).flat())]

export function scopesOfLiveEvent(kind: LiveEventKind): readonly Scope[] {
  return scopesOfFirstWord[kind.split('.', 1)[0] as keyof typeof scopesOfFirstWord]
}

const kinds = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.enum(liveEventKinds, { error: `must be one of ${liveEventKinds.join(', ')}` })))

export const liveEventsQuery = requestQuery({
  kinds: kinds
    .optional()
    .meta({ description: 'Kinds of events to receive, separated by commas. Default: all', type: 'string' }),
  lastEventId: z.string().max(200).optional().meta({
    description:
      'The `id` of the last event that you read; the events after it are sent first. The header `Last-Event-ID` does the same, and is used if both are sent',
  }),
})

/** The reasons for which a connected caller can lose access. */
export const accessLosses = [
  'token_expired',
  'token_revoked',
  'session_expired',
  'session_ended',
  'password_changed',
  'account_removed',
  'key_expired',
  'key_revoked',
] as const

export type AccessLoss = (typeof accessLosses)[number]

/** The event `end`, which is the last event of a stream whose caller lost access. */
export const liveEventsEnd = z.object({ code: z.enum(accessLosses), message: z.string() })

/** The event `heartbeat`, which is sent when a stream starts and then at this interval. */
export const liveHeartbeat = z.object({ intervalSeconds: z.number() })

export type LiveHeartbeat = z.output<typeof liveHeartbeat>
