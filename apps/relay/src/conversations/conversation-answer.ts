import type { Conversation } from '@smsgw/contract/conversation'
import type { StoredConversation } from './latest-entries-statement.ts'

export function conversationAnswer(stored: StoredConversation): Conversation {
  return {
    number: stored.number,
    lastAt: stored.at.toISOString(),
    lastText: previewOf(stored),
    lastDirection: stored.direction,
    ...(stored.state !== null && { lastState: stored.state }),
    lastMessageId: stored.id,
  }
}

function previewOf({ text, octets, port, type, subject, isEncrypted, isHashed }: StoredConversation): string {
  if (isHashed) return 'content no longer kept'
  if (isEncrypted) return 'encrypted message'
  if (text !== null) return text
  if (octets !== null) return `data: ${octets} octets${port === null ? '' : ` for port ${port}`}`
  if (type?.startsWith('MMS')) return subject === null ? 'MMS' : `MMS: ${subject}`
  return ''
}
