import type { McpServer } from '@modelcontextprotocol/server'
import type { SmsGateway } from '@smsgw/client'
import type { Conversation } from '@smsgw/client/openapi'
import { z } from 'zod'
import { entryOf, entryOutput } from '../conversation-entry.ts'
import { answerOrError } from '../tool-answer.ts'
import { cursor, limit, phoneNumber, waitingOutput } from '../tool-schemas.ts'
import { UNTRUSTED_NOTE, visibleText } from '../untrusted-text.ts'

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const conversation = z.object({
  untrustedSender: z.string().describe('Phone number of the other party, or a name that the sender chose'),
  lastAt: z.string(),
  lastDirection: z.enum(['in', 'out']),
  untrustedText: z.string().optional().describe('Beginning of the last message, if it was received'),
  sentText: z.string().optional().describe('Beginning of the last message, if it was sent'),
  lastState: z.string().optional().describe('State of the last message, if it was sent'),
  waiting: waitingOutput.optional(),
  unread: z.int().optional().describe('Number of unread messages'),
})

const nextCursor = z.string().optional().describe('Present if there are more items: pass it as cursor')
const note = z.string()

export function registerConversationTools(server: McpServer, api: SmsGateway): void {
  server.registerTool(
    'list_conversations',
    {
      title: 'List conversations',
      description: `Lists conversations by phone number, the latest first, with the beginning of the last message. ${UNTRUSTED_NOTE}`,
      inputSchema: z.object({
        search: z.string().min(1).max(200).optional().describe('Only conversations whose number or texts contain this'),
        unreadOnly: z.boolean().default(false).describe('Only conversations with unread messages'),
        limit: limit(100, 20),
        cursor,
      }),
      outputSchema: z.object({ conversations: z.array(conversation), nextCursor, note }),
      annotations: { ...READ_ONLY },
    },
    ({ search, unreadOnly, limit: take, cursor: from }, { mcpReq: { signal } }) =>
      answerOrError(signal, async () => {
        const query = {
          limit: take,
          ...(from !== undefined && { cursor: from }),
          ...(search !== undefined && { q: search }),
          ...(unreadOnly && { unread: true }),
        }
        const page = await api.conversations.list(query, { signal }).page()
        return {
          conversations: page.items.map(conversationOf),
          ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
          note: UNTRUSTED_NOTE,
        }
      }),
  )

  server.registerTool(
    'read_conversation',
    {
      title: 'Read a conversation',
      description: `Reads the messages exchanged with one phone number, newest first. ${UNTRUSTED_NOTE}`,
      inputSchema: z.object({ number: phoneNumber, limit: limit(100, 20), cursor }),
      outputSchema: z.object({ messages: z.array(entryOutput), nextCursor, note }),
      annotations: { ...READ_ONLY },
    },
    ({ number, limit: take, cursor: from }, { mcpReq: { signal } }) =>
      answerOrError(signal, async () => {
        const query = { limit: take, ...(from !== undefined && { cursor: from }) }
        const page = await api.conversations.entries(number, query, { signal }).page()
        return {
          messages: page.items.map(entryOf),
          ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
          note: UNTRUSTED_NOTE,
        }
      }),
  )
}

function conversationOf({ number, lastAt, lastDirection, lastText, lastState, lastWaiting, unread }: Conversation) {
  return {
    untrustedSender: visibleText(number),
    lastAt,
    lastDirection,
    ...(lastDirection === 'in' ? { untrustedText: visibleText(lastText) } : { sentText: visibleText(lastText) }),
    ...(lastState !== undefined && { lastState }),
    ...(lastWaiting !== undefined && { waiting: lastWaiting }),
    ...(unread !== undefined && { unread }),
  }
}
