import { z } from 'zod'
import { deviceId, resourceId } from './ids.ts'
import { inboxType } from './inbox.ts'
import { messageStates } from './message-states.ts'
import { limitUpTo, pageCursor } from './paging.ts'
import { requestQuery } from './request-query.ts'
import { utcTime } from './times.ts'

const direction = z.enum(['in', 'out'])
const state = z.enum(messageStates)
const number = z.string().meta({ description: 'The other side: a number, or what a sender calls itself' })
const simNumber = z.int().min(1).max(64).optional()

export const conversation = z
  .strictObject({
    number,
    lastAt: utcTime,
    lastText: z.string().meta({ description: 'How the last message begins; of data and MMS what they are' }),
    lastDirection: direction,
    lastState: state.optional().meta({ description: 'Of the last message, when it was sent to this number' }),
    lastMessageId: resourceId,
  })
  .meta({ id: 'Conversation' })

export const listConversationsQuery = requestQuery({
  limit: limitUpTo(100),
  cursor: pageCursor,
  q: z.string().max(160).optional().meta({ description: 'Only those whose number or texts hold this' }),
})

const sent = z.strictObject({
  direction: z.literal('out'),
  id: resourceId,
  at: utcTime,
  text: z.string().optional(),
  data: z.base64().optional(),
  port: z.int().min(0).max(65_535).optional(),
  isHashed: z.boolean().optional().meta({ description: 'True: its content is kept as a hash only' }),
  isEncrypted: z.boolean().optional().meta({ description: 'True: its text is opaque' }),
  state: state.meta({ description: 'Of this recipient' }),
  error: z.string().optional(),
  recipientsCount: z.int().min(1),
  scheduleAt: utcTime.optional(),
  simNumber,
  partsCount: z.int().min(1).optional(),
  deviceId,
})

const received = z.strictObject({
  direction: z.literal('in'),
  id: resourceId,
  at: utcTime,
  type: inboxType,
  text: z.string().optional(),
  data: z.base64().optional(),
  port: z.int().min(0).max(65_535).optional(),
  subject: z.string().optional(),
  simNumber,
  deviceId,
})

export const conversationEntry = z.union([sent, received]).meta({ id: 'ConversationEntry' })

export const showConversationQuery = requestQuery({ limit: limitUpTo(100), cursor: pageCursor })

/** Of a path. */
export const conversationParams = z.object({ number: z.string().min(1).max(512) })

export type Conversation = z.output<typeof conversation>
export type ConversationEntry = z.output<typeof conversationEntry>
