import { createHash } from 'node:crypto'
import type { OutboxEvent } from './outbox-event.ts'

/**
 * The id of an event for one webhook, derived from its facts alone: a retry, a crash or a second read of the SIM
 * results in the same id.
 */
export function eventId(accountId: string, webhookId: string, outboxEvents: OutboxEvent): string {
  return derivedId([accountId, webhookId, outboxEvents.event, ...factsOf(outboxEvents)])
}

/** The id of an outbound event from its recipient; `code` only for failures. */
export function outboundEventId(
  accountId: string,
  webhookId: string,
  { event, cmdId, code }: { readonly event: string; readonly cmdId: string; readonly code?: string | undefined },
): string {
  return derivedId([accountId, webhookId, event, cmdId, ...(code === undefined ? [] : [code])])
}

/** The events of sent messages. */
export const outboundEvents = ['sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled'] as const
/** Failure codes that later evidence may correct. */
const IGNORANCE = ['submit_unknown', 'device_lost']

/**
 * All event ids that a webhook may have received for one recipient. They find deliveries without an index on payloads.
 */
export function outboundEventIds(
  accountId: string,
  webhook: { readonly id: string; readonly event: string },
  { cmdId, errorCode }: { readonly cmdId: string; readonly errorCode: string | null },
): string[] {
  const { event } = webhook
  if (event !== 'sms:failed') return [outboundEventId(accountId, webhook.id, { event, cmdId })]
  const codes = new Set([errorCode ?? 'unknown', ...IGNORANCE])
  return [...codes].map((code) => outboundEventId(accountId, webhook.id, { event, cmdId, code }))
}

/** The facts that identify an event among others of its kind. */
function factsOf(outboxEvents: OutboxEvent): readonly string[] {
  switch (outboxEvents.event) {
    case 'sms:received':
    case 'sms:data-received':
    case 'mms:received':
      return [outboxEvents.messageId]
    case 'sms:sent':
    case 'sms:delivered':
    case 'sms:cancelled':
      return [outboxEvents.cmdId]
    case 'sms:failed':
      return [outboxEvents.cmdId, outboxEvents.code]
    case 'system:ping':
    case 'app:started':
      return [outboxEvents.deviceId, outboxEvents.occurrence]
    case 'sms:batch:received':
    case 'sms:batch:data-received':
    case 'mms:batch:received':
      return outboxEvents.messages.map(({ messageId }) => messageId)
  }
}

/** RFC 9562 §5.8: a custom UUID from the first bits of a SHA-256. */
export function derivedId(facts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(facts)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
