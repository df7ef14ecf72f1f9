import type { AgentEvent } from '@smsgw/contract/link/event'
import type { RecipientNews } from '../messages/message-progress.ts'
import { storableText } from '../store/storable.ts'
import { eventTime } from '../webhooks/local-time.ts'
import type { AgentConnection } from './agent-connection.ts'

/** What an agent tells about one of its sends. */
export type SendEvent = Extract<AgentEvent, { readonly kind: (typeof kinds)[number] }>

const kinds = [
  'processed',
  'part-submitted',
  'part-reported',
  'sent',
  'delivered',
  'failed',
  'waiting',
  'cancelled',
  'cancel-refused',
] as const

export function isSendEvent(event: AgentEvent): event is SendEvent {
  return (kinds as readonly string[]).includes(event.kind)
}

/** What it means for the recipient. Parts by themselves move nothing: the agent says when all of them are out. */
export function newsOf({ accountId, deviceId }: AgentConnection, event: SendEvent, now: Date): RecipientNews {
  const { at, offsetMinutes } = eventTime(event.at, now)
  const about = { accountId, deviceId, cmdId: event.cmdId, offsetMinutes }
  switch (event.kind) {
    case 'part-submitted':
      return { ...about, simNumber: event.simNumber, parts: event.parts }
    case 'part-reported':
      return about
    case 'processed':
    case 'cancelled':
    case 'cancel-refused':
      return { ...about, input: { kind: event.kind, at } }
    case 'sent':
    case 'delivered': {
      const parts = event.kind === 'sent' ? event.parts : undefined
      return {
        ...about,
        simNumber: event.simNumber,
        sender: storable(event.sender),
        parts,
        input: { kind: event.kind, at },
      }
    }
    case 'failed': {
      const { simNumber, parts, partsSent } = event
      const verdict = { code: storableText(event.code), reason: storableText(event.reason), partsSent, parts }
      return { ...about, simNumber, sender: storable(event.sender), parts, input: { kind: 'failed', at, ...verdict } }
    }
    case 'waiting':
      return { ...about, input: { kind: 'waiting', at, code: event.code, reason: storableText(event.reason) } }
  }
}

function storable(text: string | undefined): string | undefined {
  return text === undefined ? undefined : storableText(text)
}
