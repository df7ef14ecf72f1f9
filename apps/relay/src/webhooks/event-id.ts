import { createHash } from 'node:crypto'
import type { HappenedEvent } from './happened-event.ts'

/**
 * The id of an event for one webhook, derived from what happened and nothing else: a retry, a crash or a second reading
 * from the SIM makes the same id again.
 */
export function eventId(accountId: string, webhookId: string, happened: HappenedEvent): string {
  return derivedId([accountId, webhookId, happened.event, ...factsOf(happened)])
}

/** The same for one recipient's message, of which only so much is known; the code of a failure alone. */
function outboundEventId(
  accountId: string,
  webhookId: string,
  { event, cmdId, code }: { readonly event: string; readonly cmdId: string; readonly code?: string | undefined },
): string {
  return derivedId([accountId, webhookId, event, cmdId, ...(code === undefined ? [] : [code])])
}

/** What is told of a message that was sent. */
export const outboundEvents = ['sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled'] as const
/** Verdicts that may have been corrected since. */
const IGNORANCE = ['submit_unknown', 'device_lost']

/** All that a webhook may have been told of one recipient's message: no index over payloads is needed to find it. */
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

/** What tells an event from every other of its kind. */
function factsOf(happened: HappenedEvent): readonly string[] {
  switch (happened.event) {
    case 'sms:received':
    case 'sms:data-received':
    case 'mms:received':
      return [happened.messageId]
    case 'sms:sent':
    case 'sms:delivered':
    case 'sms:cancelled':
      return [happened.cmdId]
    case 'sms:failed':
      return [happened.cmdId, happened.code]
    case 'system:ping':
    case 'app:started':
      return [happened.deviceId, happened.occurrence]
    case 'sms:batch:received':
    case 'sms:batch:data-received':
    case 'mms:batch:received':
      return happened.messages.map(({ messageId }) => messageId)
  }
}

/** RFC 9562 §5.8: a UUID of our own making, here the first bits of a SHA-256. */
export function derivedId(facts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(facts)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
