import type { AgentEvent } from '@smsgw/contract/link/event'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { type AdvancedMessages, advanceMessages } from '../messages/progress/advance-messages.ts'
import type { RecipientUpdate } from '../messages/progress/message-progress.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { storableText } from '../store/storable.ts'
import { eventTime } from '../webhooks/outbox/local-time.ts'
import { foreignSendLog, storeLogs } from './device-logs.ts'
import type { ReportedEvent } from './record-batches.ts'
import { type PartEvent, storeParts } from './store-parts-statement.ts'

/**
 * Stores message states and parts that devices report, and returns the state changes. Events about messages of other
 * devices are only logged.
 */
export async function storeProgress(
  statements: RawStatements,
  reported: readonly ReportedEvent[],
  now: Date,
): Promise<Pick<AdvancedMessages, 'moves' | 'enqueued'>> {
  const ofSends = reported.filter((one): one is ReportedEvent<SendEvent> => isSendEvent(one.event))
  if (ofSends.length === 0) return { moves: [], enqueued: 0 }
  const updates = new Map(ofSends.map((one) => [updatesOf(one.connection, one.event, now), one]))
  const { unknown, moves, enqueued } = await advanceMessages(statements, [...updates.keys()], now)
  const foreign = new Set(unknown.map((one) => updates.get(one)))
  const parts = ofSends.filter((one) => !foreign.has(one)).map(({ event }) => event)
  await storeParts(statements, parts.filter(isPartEvent), now)
  await storeLogs(
    statements,
    [...foreign].flatMap((one) => (one === undefined ? [] : [foreignSendLog(one, now)])),
  )
  return { moves, enqueued }
}

function isPartEvent(event: SendEvent): event is PartEvent {
  return event.kind === 'part-submitted' || event.kind === 'part-reported'
}

/** An event about a send. */
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

/**
 * Returns the update of a recipient that an event causes. Events about single parts do not change the state, because
 * the agent reports when all parts were sent.
 */
function updatesOf({ accountId, deviceId }: AgentConnection, event: SendEvent, now: Date): RecipientUpdate {
  const { at, offsetMinutes } = eventTime(event.at, now)
  const about = { accountId, deviceId, cmdId: event.cmdId, offsetMinutes }
  switch (event.kind) {
    case 'part-submitted':
      return { ...about, simNumber: event.simNumber, parts: event.parts }
    case 'part-reported':
      return about
    case 'processed':
    case 'cancel-refused':
      return { ...about, input: { kind: event.kind, at } }
    case 'cancelled': {
      const { simNumber, sender } = event
      return { ...about, simNumber, sender: storable(sender), input: { kind: 'cancelled', at } }
    }
    case 'sent':
    case 'delivered': {
      const ofSent = event.kind === 'sent' && { parts: event.parts, possibleDuplicate: event.possibleDuplicate }
      return {
        ...about,
        ...ofSent,
        simNumber: event.simNumber,
        sender: storable(event.sender),
        input: { kind: event.kind, at },
      }
    }
    case 'failed': {
      const { simNumber, parts, partsSent, possibleDuplicate } = event
      const verdict = { code: storableText(event.code), reason: storableText(event.reason), partsSent, parts }
      const facts = { ...about, simNumber, sender: storable(event.sender), parts, possibleDuplicate }
      return { ...facts, input: { kind: 'failed', at, ...verdict } }
    }
    case 'waiting': {
      const { code, reason, possibleDuplicate } = event
      return { ...about, possibleDuplicate, input: { kind: 'waiting', at, code, reason: storableText(reason) } }
    }
  }
}

function storable(text: string | undefined): string | undefined {
  return text === undefined ? undefined : storableText(text)
}
