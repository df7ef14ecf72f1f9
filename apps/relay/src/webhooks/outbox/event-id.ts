import { createHash } from 'node:crypto'
import { unknownOutcomes } from '../../messages/progress/message-state.ts'
import { Prisma } from '../../store/generated/client.ts'
import type { OutboxEvent } from './outbox-event.ts'

/**
 * Returns the id of an event for one webhook. The id is derived only from the facts of the event, so a retry, a crash
 * or a second read of the SIM results in the same id.
 */
export function eventId(accountId: string, webhookId: string, event: OutboxEvent): string {
  return derivedEventId([accountId, webhookId, event.event, ...factsOf(event)])
}

/** Returns SQL that calculates the same id for the webhook of a row, for a statement that also finds the webhooks. */
export function sqlEventId(accountId: string, webhookId: Prisma.Sql, event: OutboxEvent): Prisma.Sql {
  const before = `[${JSON.stringify(accountId)},`
  const after = `,${[event.event, ...factsOf(event)].map((fact) => JSON.stringify(fact)).join()}]`
  return Prisma.sql`(SELECT encode(
    set_byte(set_byte(octets, 6, get_byte(octets, 6) & 15 | 128), 8, get_byte(octets, 8) & 63 | 128), 'hex')::uuid::text
    FROM (SELECT substring(sha256(convert_to(${before}::text || to_json(${webhookId})::text || ${after}::text, 'UTF8'))
      FROM 1 FOR 16) AS octets) AS hashed)`
}

/** Returns the id of an outbound event for one recipient. Only failures have a `code`. */
export function outboundEventId(
  accountId: string,
  webhookId: string,
  { event, cmdId, code }: { readonly event: string; readonly cmdId: string; readonly code?: string | undefined },
): string {
  return derivedEventId([accountId, webhookId, event, cmdId, ...(code === undefined ? [] : [code])])
}

/** The events about sent messages. */
export const outboundEvents = ['sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled'] as const

/**
 * Returns all event ids that a webhook may have received for one recipient. With these ids, deliveries are found
 * without reading payloads.
 */
export function outboundEventIds(
  accountId: string,
  webhook: { readonly id: string; readonly events: readonly string[] },
  { cmdId, errorCode }: { readonly cmdId: string; readonly errorCode: string | null },
): string[] {
  const codes = new Set([errorCode ?? 'unknown', ...unknownOutcomes])
  return outboundEvents
    .filter((event) => webhook.events.includes(event))
    .flatMap((event) =>
      (event === 'sms:failed' ? [...codes] : [undefined]).map((code) =>
        outboundEventId(accountId, webhook.id, { event, cmdId, code }),
      ),
    )
}

/** The facts that identify an event among others of its kind. */
function factsOf(event: OutboxEvent): readonly string[] {
  switch (event.event) {
    case 'sms:received':
    case 'sms:data-received':
    case 'mms:received':
    case 'mms:downloaded':
      return [event.messageId]
    case 'sms:sent':
    case 'sms:delivered':
    case 'sms:cancelled':
      return [event.cmdId]
    case 'sms:failed':
      return [event.cmdId, event.code]
    case 'call:received':
    case 'system:ping':
    case 'app:started':
      return [event.deviceId, event.occurrence]
    case 'sms:batch:received':
    case 'sms:batch:data-received':
    case 'mms:batch:received':
    case 'mms:batch:downloaded':
      return event.messages.map(({ messageId }) => messageId)
  }
}

/** Returns a custom UUID (RFC 9562 §5.8) made of the first bits of a SHA-256 hash. */
export function derivedEventId(facts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(facts)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
