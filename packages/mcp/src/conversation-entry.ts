import type { ConversationEntry } from '@smsgw/client/openapi'
import { z } from 'zod'
import { waitingOutput } from './tool-schemas.ts'
import { visibleText } from './untrusted-text.ts'

/** A message of a conversation. A received text is only in `untrustedText`. */
export const entryOutput = z.object({
  id: z.string(),
  direction: z.enum(['in', 'out']),
  at: z.string(),
  untrustedText: z.string().optional().describe('Text of a received message'),
  sentText: z.string().optional().describe('Text of a sent message'),
  content: z.string().optional().describe('Description of a message without a text'),
  state: z.string().optional().describe('State of a sent message'),
  error: z.string().optional(),
  waiting: waitingOutput.optional(),
  isUnread: z.boolean().optional(),
})

export function entryOf(entry: ConversationEntry): z.output<typeof entryOutput> {
  const { id, direction, at } = entry
  if (entry.direction === 'in')
    return {
      id,
      direction,
      at,
      ...receivedContent(entry),
      ...(entry.isUnread === true && { isUnread: true }),
    }
  return {
    id,
    direction,
    at,
    ...(entry.text === undefined ? { content: sentContent(entry) } : { sentText: visibleText(entry.text) }),
    state: entry.state,
    ...(entry.error !== undefined && { error: entry.error }),
    ...(entry.waiting !== undefined && { waiting: entry.waiting }),
  }
}

function receivedContent({ type, text, subject, data, isEncrypted }: Extract<ConversationEntry, { direction: 'in' }>) {
  if (isEncrypted === true) return { content: 'encrypted message' }
  const words = text ?? subject
  return {
    ...(words !== undefined && { untrustedText: visibleText(words) }),
    ...(type !== 'SMS' && { content: type === 'DATA_SMS' ? `data, ${octetsIn(data)} bytes` : 'multimedia message' }),
  }
}

function sentContent({ isHashed, isEncrypted, data }: Extract<ConversationEntry, { direction: 'out' }>): string {
  if (isHashed === true) return 'text deleted by the retention rules'
  return isEncrypted === true ? 'encrypted text' : `data, ${octetsIn(data)} bytes`
}

function octetsIn(base64 = ''): number {
  return Buffer.from(base64, 'base64').length
}
