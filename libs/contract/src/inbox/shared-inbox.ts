// The decisions of users about conversations: labels, notes, assignee, archiving and blocking.
import { z } from 'zod'
import { resourceId } from '../fields/ids.ts'
import { nameText } from '../fields/name-text.ts'
import { requestBody } from '../fields/request-body.ts'
import { utcTime } from '../fields/times.ts'

const labelColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink'] as const

const color = z.enum(labelColors)

const labelName = nameText(40).min(1)

export const label = z
  .strictObject({ id: resourceId, name: z.string(), color, createdAt: utcTime })
  .meta({ id: 'Label' })

export const createLabelRequest = requestBody({
  name: labelName.meta({ description: 'Unique in the account', examples: ['Invoice'] }),
  color: color.default('gray'),
})

export const changeLabelRequest = requestBody({ name: labelName.optional(), color: color.optional() })

export const note = z
  .strictObject({
    id: resourceId,
    text: z.string(),
    author: z.string().meta({ description: 'Username of the login that wrote the note' }),
    createdAt: utcTime,
  })
  .meta({ id: 'Note' })

export const createNoteRequest = requestBody({
  text: z
    .string()
    .trim()
    .min(1)
    .max(4_000)
    .meta({
      description: 'Text of the note, which is never sent to the other party',
      examples: ['Refund approved, waiting for the bank.'],
    }),
})

/** What people set for a conversation. The list and the details of conversations have these fields. */
export const conversationDecisions = {
  labels: z.array(resourceId).meta({ description: 'Ids of the labels, in the order of their names' }),
  assignee: z.string().optional(),
  archivedAt: utcTime.optional(),
  blockedAt: utcTime.optional(),
}

export const conversationDetails = z
  .strictObject({
    number: z.string(),
    unread: z.int().min(0).optional().meta({ description: 'Number of unread messages; needs `inbox:list`' }),
    hasSent: z.boolean().optional().meta({
      description:
        'True when a stored message was sent to this number. Replies of webhooks do not count. Needs `messages:list`',
    }),
    ...conversationDecisions,
    notes: z.array(note).meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'ConversationDetails' })

const labelIds = z.array(resourceId).max(100).optional()

export const changeConversationRequest = requestBody({
  readUpTo: resourceId
    .optional()
    .meta({ description: 'Id of a message of this conversation: mark it and all earlier received messages as read' }),
  unread: z
    .boolean()
    .optional()
    .meta({ description: 'True marks the last received message as unread, false marks all received messages as read' }),
  archived: z.boolean().optional().meta({
    description:
      'True archives the conversation until the next message is received. If `readUpTo` is also set, the conversation is archived only if no unread message is newer than the message in `readUpTo`',
  }),
  blocked: z.boolean().optional().meta({
    description:
      'True: messages from this number are stored, but do not count as unread and are not sent to webhooks. You can still send to the number',
  }),
  assignee: nameText(80)
    .optional()
    .meta({ description: 'Name of the assignee, which can be any name. An empty string removes the assignee' }),
  addLabels: labelIds.meta({ description: 'Ids of labels' }),
  removeLabels: labelIds.meta({ description: 'Ids of labels' }),
})

export const unreadTotals = z
  .strictObject({
    messages: z.int().min(0),
    conversations: z.int().min(0).meta({ description: 'Number of conversations with unread messages' }),
  })
  .meta({ id: 'UnreadTotals' })

/** Path parameters. */
export const noteParams = z.object({ number: z.string().min(1).max(512), id: z.string().min(1) })

export type Label = z.output<typeof label>
export type Note = z.output<typeof note>
export type ConversationDetails = z.output<typeof conversationDetails>
export type ConversationChange = z.output<typeof changeConversationRequest>
