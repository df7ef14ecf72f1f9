import { requestQuery } from '@smsgw/contract/fields/request-query'
import { sentAttachment } from '@smsgw/contract/messages/mms'
import { z } from 'zod'
import { dataPlaceholder, withAttachmentData } from '../attachments/attachment-data.ts'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { dataOfOctets } from '../messages/message-data.ts'
import { phoneOf } from './authenticate-phone.ts'
import { claimPhoneMessages } from './claim-phone-messages-statement.ts'
import { type PhoneMessage, readPhoneMessages } from './read-phone-messages-statement.ts'

export type PullMessagesDeps = Pick<CoreDeps, 'database' | 'clock'>

/** The largest number of messages that were dispatched to a phone and not confirmed. */
const MOST_MESSAGES = 100

const query = requestQuery({ order: z.enum(['lifo', 'fifo']).default('lifo') })

const phoneMessageAnswer = z.strictObject({
  id: z.string(),
  state: z.enum(['Pending', 'Cancelling']),
  phoneNumbers: z.array(z.string()),
  message: z.string().optional(),
  textMessage: z.strictObject({ text: z.string() }).optional(),
  dataMessage: z.strictObject({ data: z.string(), port: z.int() }).optional(),
  mmsMessage: z
    .strictObject({
      subject: z.string().optional(),
      text: z.string().optional(),
      attachments: z.array(sentAttachment.pick({ contentType: true, name: true, data: true })),
    })
    .optional(),
  isEncrypted: z.boolean(),
  simNumber: z.int().optional(),
  withDeliveryReport: z.boolean(),
  priority: z.int(),
  ttl: z.int().optional(),
  validUntil: z.string().optional(),
  scheduleAt: z.string().optional(),
  createdAt: z.string(),
})

/**
 * Dispatches due messages to the phone. Returns the messages that the phone has to cancel, and all messages that it has
 * not confirmed. So no message is lost if an answer is lost. The phone sends a repeated message only once, because it
 * recognises the id.
 */
export function pullMessages({ database, clock }: PullMessagesDeps): Endpoint {
  return endpoint({
    query,
    answers: { 200: z.array(phoneMessageAnswer) },
    async handle({ principal, query: { order }, access }) {
      const phone = phoneOf(principal)
      const now = clock.now()
      await claimPhoneMessages(database, phone, MOST_MESSAGES, now)
      const messages = await readPhoneMessages(database, phone, order, MOST_MESSAGES)
      const body = messages.map((message) => answerOf(message, now))
      return withAttachmentData(database, access, { status: 200, body })
    },
  })
}

function answerOf(message: PhoneMessage, now: Date): z.output<typeof phoneMessageAnswer> {
  const { simNumber, validUntil, scheduleAt } = message
  return {
    id: message.id,
    state: message.isCancelling ? 'Cancelling' : 'Pending',
    phoneNumbers: message.phoneNumbers,
    ...contentOf(message),
    isEncrypted: message.isEncrypted,
    ...(simNumber !== null && { simNumber }),
    withDeliveryReport: message.withDeliveryReport,
    priority: message.priority,
    ...(validUntil !== null && { ttl: secondsUntil(validUntil, now), validUntil: validUntil.toISOString() }),
    ...(scheduleAt !== null && { scheduleAt: scheduleAt.toISOString() }),
    createdAt: message.createdAt.toISOString(),
  }
}

/** The content of a message to cancel may already be replaced with its hash. */
function contentOf(message: PhoneMessage) {
  const { text, data, port, isEncrypted, mms, attachments } = message
  if (mms !== null) {
    const whole = (attachments ?? []).map(({ contentType, name, partId }) => ({
      contentType,
      ...(name !== null && { name }),
      data: dataPlaceholder(message, partId),
    }))
    return { mmsMessage: { ...mms, ...(text !== null && { text }), attachments: whole } }
  }
  if (data !== null && port !== null) return { dataMessage: { data: dataOfOctets(data, isEncrypted), port } }
  return { message: text ?? '', textMessage: { text: text ?? '' } }
}

/**
 * Returns at least one second, because a phone may treat zero as "no deadline". `validUntil` shows that the deadline
 * has passed.
 */
function secondsUntil(deadline: Date, now: Date): number {
  return Math.max(1, Math.floor((deadline.getTime() - now.getTime()) / 1000))
}
