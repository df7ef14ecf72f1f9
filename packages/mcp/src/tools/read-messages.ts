import type { McpServer } from '@modelcontextprotocol/server'
import type { SmsGateway } from '@smsgw/client'
import type { MessageState, TimelineEntry } from '@smsgw/client/openapi'
import { z } from 'zod'
import { answerOrError } from '../tool-answer.ts'
import { cursor, limit, messageSummary, summaryOf } from '../tool-schemas.ts'
import { visibleText } from '../untrusted-text.ts'

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const STATES = ['Pending', 'Processed', 'Sent', 'Delivered', 'Failed', 'Cancelling', 'Cancelled'] as const

const message = z.object({ ...messageSummary, sentText: z.string().optional() })

export function registerMessageTools(server: McpServer, api: SmsGateway): void {
  server.registerTool(
    'list_messages',
    {
      title: 'List sent messages',
      description: 'Lists sent messages of the account with their state, newest first.',
      inputSchema: z.object({
        state: z.enum(STATES).optional().describe('Only messages in this state'),
        limit: limit(100, 20),
        cursor,
      }),
      outputSchema: z.object({
        messages: z.array(message),
        nextCursor: z.string().optional().describe('Present if there are more items: pass it as cursor'),
      }),
      annotations: { ...READ_ONLY },
    },
    ({ state, limit: take, cursor: from = 'start' }, { mcpReq: { signal } }) =>
      answerOrError(signal, async () => {
        const content = { includeContent: true, includeAttachmentData: false }
        const query = { limit: take, cursor: from, ...content, ...(state !== undefined && { state }) }
        const page = await api.messages.list(query, { signal }).page()
        return {
          messages: page.items.map(messageOf),
          ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
        }
      }),
  )

  server.registerTool(
    'get_message',
    {
      title: 'Get a sent message',
      description:
        'Gets a sent message: the state for each recipient, the reason for a wait or a failure, and the list of steps of the message (oldest step first).',
      inputSchema: z.object({ id: z.string().min(1).max(128).describe('Id of the message, from send_sms') }),
      outputSchema: message.extend({
        events: z
          .array(z.object({ at: z.string(), text: z.string(), advice: z.string().optional() }))
          .describe('What happened, oldest first'),
      }),
      annotations: { ...READ_ONLY },
    },
    ({ id }, { mcpReq: { signal } }) =>
      answerOrError(signal, async () => {
        const [found, entries] = await Promise.all([
          api.messages.get(id, { signal, includeAttachmentData: false }),
          api.messages.timeline(id, { signal }),
        ])
        return { ...messageOf(found), events: entries.map(eventOf) }
      }),
  )
}

function eventOf({ at, text, advice }: TimelineEntry) {
  return { at, text: visibleText(text), ...(advice !== undefined && { advice }) }
}

function messageOf(found: MessageState): z.output<typeof message> {
  const text = found.textMessage?.text
  return { ...summaryOf(found), ...(text !== undefined && { sentText: visibleText(text) }) }
}
