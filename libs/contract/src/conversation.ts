import { z } from 'zod'
import { deviceId, resourceId } from './ids.ts'
import { inboxType } from './inbox.ts'
import { possibleDuplicate } from './message.ts'
import { messageStates } from './message-states.ts'
import { limitUpTo, pageCursor } from './paging.ts'
import { requestQuery } from './request-query.ts'
import { utcTime } from './times.ts'
import { waiting } from './waiting.ts'

const direction = z.enum(['in', 'out'])
const state = z.enum(messageStates)
const number = z.string().meta({ description: 'Phone number of the other party, or the name of a sender' })
const simNumber = z.int().min(1).max(64).optional()

export const conversation = z
  .strictObject({
    number,
    lastAt: utcTime,
    lastText: z.string().meta({ description: 'Beginning of the last message, or a description of data and MMS' }),
    lastDirection: direction,
    lastState: state.optional().meta({ description: 'State of the last message, if it was sent to this number' }),
    lastMessageId: resourceId,
  })
  .meta({ id: 'Conversation' })

export const listConversationsQuery = requestQuery({
  limit: limitUpTo(100),
  cursor: pageCursor,
  q: z
    .string()
    .max(160)
    .optional()
    .meta({ description: 'Return only conversations whose number or texts contain this text' }),
})

const sent = z.strictObject({
  direction: z.literal('out'),
  id: resourceId,
  at: utcTime,
  text: z.string().optional(),
  data: z.string().optional().meta({ description: 'Unchanged from the request: base64, or encrypted' }),
  port: z.int().min(0).max(65_535).optional(),
  isHashed: z.boolean().optional().meta({ description: 'True when only a hash of the content is stored' }),
  isEncrypted: z.boolean().optional().meta({ description: 'True when the content is encrypted' }),
  state: state.meta({ description: 'State of this recipient' }),
  error: z.string().optional(),
  waiting: waiting.optional(),
  possibleDuplicate,
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

/** Path parameters. */
export const conversationParams = z.object({ number: z.string().min(1).max(512) })

export type Conversation = z.output<typeof conversation>
export type ConversationEntry = z.output<typeof conversationEntry>
