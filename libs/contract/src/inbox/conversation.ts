import { z } from 'zod'
import { deviceId, resourceId } from '../fields/ids.ts'
import { limitUpTo, pageCursor } from '../fields/paging.ts'
import { queryBoolean, requestQuery } from '../fields/request-query.ts'
import { utcTime } from '../fields/times.ts'
import { errorCodeMeaning } from '../messages/failure-code.ts'
import { possibleDuplicate } from '../messages/message.ts'
import { messageStates } from '../messages/message-states.ts'
import { networkCause, networkCode } from '../messages/network-cause-members.ts'
import { waiting } from '../messages/waiting.ts'
import { inboxAttachment, inboxType } from './inbox.ts'
import { conversationDecisions } from './shared-inbox.ts'

const direction = z.enum(['in', 'out'])
const state = z.enum(messageStates)
const number = z.string().meta({
  description: 'The other party: a phone number, the name of a sender, or an alias that replaces the number or name',
})
const simNumber = z.int().min(1).max(64).optional()

const match = z
  .strictObject({
    id: resourceId,
    direction,
    at: utcTime.meta({ description: 'Time of the message' }),
    excerpt: z.string().meta({ description: 'Part of the text around the match' }),
    start: z.int().min(0).meta({ description: 'Start of the match in the excerpt, in UTF-16 code units' }),
    length: z.int().min(1).meta({ description: 'Length of the match, in UTF-16 code units' }),
  })
  .meta({ id: 'ConversationMatch' })

export const conversation = z
  .strictObject({
    number,
    lastAt: utcTime,
    lastText: z.string().meta({ description: 'Beginning of the last message, or a description of data and MMS' }),
    lastDirection: direction,
    lastState: state.optional().meta({ description: 'State of the last message, if it was sent to this number' }),
    lastWaiting: waiting.optional().meta({ description: 'Waiting reason of the last message' }),
    lastMessageId: resourceId,
    unread: z.int().min(0).optional().meta({ description: 'Number of unread messages; needs `inbox:list`' }),
    labels: conversationDecisions.labels.optional(),
    assignee: conversationDecisions.assignee,
    archivedAt: conversationDecisions.archivedAt,
    blockedAt: conversationDecisions.blockedAt,
    notes: z.int().min(0).optional().meta({ description: 'Number of notes; needs `conversations:read`' }),
    match: match.optional().meta({ description: 'The latest message whose text contains `q`' }),
  })
  .meta({ id: 'Conversation' })

export const conversationFolders = ['inbox', 'archived', 'blocked'] as const

export const listConversationsQuery = requestQuery({
  limit: limitUpTo(100),
  cursor: pageCursor,
  q: z.string().max(160).optional().meta({
    description:
      'Return only conversations whose number or texts contain this text. Messages are searched newest first. Until all messages are searched, the `Link` header has a next page, even if this page is not full',
  }),
  folder: z
    .enum(conversationFolders)
    .optional()
    .meta({ description: '`inbox` leaves out archived and blocked conversations. Default: all conversations' }),
  unread: queryBoolean.optional().meta({ description: 'True returns only conversations with unread messages' }),
  label: z
    .string()
    .max(36)
    .optional()
    .meta({ description: 'Return only conversations with the label that has this id' }),
  assignee: z.string().max(80).optional().meta({ description: 'Return only conversations of this assignee' }),
})

const sent = z.strictObject({
  direction: z.literal('out'),
  id: resourceId,
  at: utcTime,
  text: z.string().optional(),
  data: z.string().optional().meta({ description: 'The data as in the request: base64, or encrypted' }),
  port: z.int().min(0).max(65_535).optional(),
  subject: z.string().optional().meta({ description: 'Subject of an MMS' }),
  attachments: z.array(inboxAttachment).optional().meta({ description: 'Attachments of an MMS; absent otherwise' }),
  isHashed: z.boolean().optional().meta({ description: 'True when only a hash of the content is stored' }),
  isEncrypted: z.boolean().optional().meta({ description: 'True when the content is encrypted' }),
  state: state.meta({ description: 'State of this recipient' }),
  error: z.string().optional(),
  errorCode: z.string().optional().meta({ description: errorCodeMeaning }),
  networkCode: networkCode.optional(),
  cause: networkCause.optional(),
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
  attachments: z.array(inboxAttachment).optional().meta({ description: 'Attachments of a downloaded MMS' }),
  isEncrypted: z.boolean().optional().meta({ description: 'True when the content is encrypted' }),
  isUnread: z.boolean().optional().meta({ description: 'True while the message is unread' }),
  simNumber,
  deviceId,
})

export const conversationEntry = z.union([sent, received]).meta({ id: 'ConversationEntry' })

export const showConversationQuery = requestQuery({
  limit: limitUpTo(100),
  cursor: pageCursor,
  around: resourceId
    .optional()
    .meta({ description: 'Id of a message of this conversation: return the messages before and after it' }),
})

/** Parameters in the path of a conversation. */
export const conversationParams = z.object({ number: z.string().min(1).max(512) })

export type Conversation = z.output<typeof conversation>
export type ConversationFolder = (typeof conversationFolders)[number]
export type ConversationMatch = z.output<typeof match>
export type ConversationEntry = z.output<typeof conversationEntry>
