import type { ConversationEntry } from '@smsgw/contract/conversation'
import { inboxItemAnswer } from '../inbox/inbox-item-answer.ts'
import type { ReceivedEntry, SentEntry } from './conversation-entries-statement.ts'

export function sentAnswer(sent: SentEntry): ConversationEntry {
  return {
    direction: 'out',
    id: sent.id,
    at: sent.at.toISOString(),
    ...(sent.text !== null && { text: sent.text }),
    ...(sent.data !== null && { data: Buffer.from(sent.data).toString('base64'), port: sent.port ?? 0 }),
    ...(sent.isHashed && { isHashed: true }),
    ...(sent.isEncrypted && { isEncrypted: true }),
    state: sent.state,
    ...(sent.error !== null && { error: sent.error }),
    recipientsCount: sent.recipientsCount,
    ...(sent.scheduleAt !== null && { scheduleAt: sent.scheduleAt.toISOString() }),
    ...(sent.simNumber !== null && { simNumber: sent.simNumber }),
    ...(sent.partsCount !== null && { partsCount: sent.partsCount }),
    deviceId: sent.deviceId,
  }
}

export function receivedAnswer(received: ReceivedEntry): ConversationEntry {
  const { id, createdAt: at, type, text, data, port, subject, simNumber, deviceId } = inboxItemAnswer(received)
  return {
    direction: 'in',
    id,
    at,
    type,
    ...(text !== undefined && { text }),
    ...(data !== undefined && { data }),
    ...(port !== undefined && { port }),
    ...(subject !== undefined && { subject }),
    ...(simNumber !== undefined && { simNumber }),
    deviceId,
  }
}
