import { z } from 'zod'
import { deviceId, givenId, resourceId } from './ids.ts'
import { messageStates } from './message-states.ts'
import { paging, refuseReversedRange, timeRange } from './paging.ts'
import { requestBody } from './request-body.ts'
import { queryBoolean, queryInteger, requestQuery } from './request-query.ts'
import { instant, utcTime } from './times.ts'

const text = z.string().min(1).max(65_535)
const port = z.int().min(1).max(65_535).meta({ description: 'Application port of the receiver' })
const priority = z.int().min(-128).max(127)
const simNumber = z.int().min(1).max(64).meta({ description: 'Slot of the SIM, counted from 1' })

const askedMessage = requestBody({
  phoneNumbers: z
    .array(z.string().min(1).max(512))
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Recipients, each once: required, or `recipient`', examples: [['+14155550123']] }),
  recipient: z.string().min(1).max(512).optional().meta({ description: 'The same as `phoneNumbers` of one' }),
  textMessage: requestBody({ text: text.meta({ examples: ['Your table is ready'] }) })
    .optional()
    .meta({ description: 'What to send. Exactly one of `textMessage`, `dataMessage` and `message` is required' }),
  dataMessage: requestBody({
    data: z.base64('must be base64').min(1).meta({ description: 'One octet at least' }),
    port,
  })
    .optional()
    .meta({ description: 'Octets for an application port' }),
  message: text.optional().meta({ description: 'The same as `textMessage.text`', deprecated: true }),
  mmsMessage: z
    .unknown()
    .refine((value) => value === undefined, 'MMS cannot be sent: leave it out')
    .optional()
    .meta({ description: 'Refused: MMS cannot be sent' }),
  id: givenId.optional(),
  deviceId: z.string().min(1).max(128).optional().meta({ description: 'Device to send it; chosen when left out' }),
  simNumber: simNumber.optional(),
  withDeliveryReport: z.boolean().default(true).meta({ description: 'Ask the network for a status report' }),
  priority: priority
    .optional()
    .meta({ description: '0 when left out; 100 and more passes limits, delays and work hours' }),
  ttl: z
    .int()
    .min(5)
    .max(2_147_483_647)
    .optional()
    .meta({ description: 'Seconds from acceptance after which it is no longer sent; or use `validUntil`' }),
  validUntil: instant.optional().meta({ description: 'After this it is no longer sent; or use `ttl`' }),
  scheduleAt: instant.optional().meta({ description: 'Not sent before this' }),
  isEncrypted: z
    .boolean()
    .default(false)
    .meta({ description: 'Text and numbers are opaque strings, which only the agent can open' }),
})

type Asked = z.output<typeof askedMessage>

/** Everything that can be said without a clock, numbering plans and the account; normalised. */
export const sendMessageRequest = askedMessage
  .check(({ value, issues }) => {
    for (const [path, message] of contradictions(value)) issues.push({ code: 'custom', path, message, input: value })
  })
  .transform(({ phoneNumbers, recipient, textMessage, dataMessage, message, mmsMessage, ttl, ...rest }) => ({
    ...rest,
    /** As given: not normalised, perhaps not unique. */
    phoneNumbers: phoneNumbers ?? [recipient ?? ''],
    content: contentOf(textMessage?.text ?? message, dataMessage),
    ttlSeconds: ttl,
  }))
  .meta({
    id: 'SendMessageRequest',
    examples: [{ phoneNumbers: ['+14155550123'], textMessage: { text: 'Your table is ready' } }],
  })

export type SendMessageRequest = z.output<typeof sendMessageRequest>
/** Data in base64. */
export type MessageContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: string; readonly port: number }

function contentOf(text: string | undefined, data: Asked['dataMessage']): MessageContent {
  return data ? { kind: 'data', ...data } : { kind: 'text', text: text ?? '' }
}

const CONTENTS = ['textMessage', 'dataMessage', 'message'] as const

function* contradictions(asked: Asked): Generator<[path: PropertyKey[], message: string]> {
  const { phoneNumbers, recipient, isEncrypted, ttl, validUntil, scheduleAt } = asked
  if (phoneNumbers && recipient !== undefined)
    yield [['recipient'], 'is the same as phoneNumbers of one: give only one of them']
  if (!phoneNumbers && recipient === undefined) yield [['phoneNumbers'], 'is required: whom to send to']
  const contents = CONTENTS.filter((name) => asked[name] !== undefined)
  if (contents.length === 0) yield [['textMessage'], 'is required: what to send (or dataMessage)']
  if (contents.length > 1) yield [[contents[1] ?? ''], `give only one of ${contents.join(' and ')}`]
  if (!isEncrypted) yield* longNumbers(asked)
  if (ttl !== undefined && validUntil) yield [['ttl'], 'give only one of ttl and validUntil']
  if (scheduleAt && validUntil && scheduleAt >= validUntil) yield [['scheduleAt'], 'must be before validUntil']
}

function* longNumbers({ phoneNumbers, recipient }: Asked): Generator<[path: PropertyKey[], message: string]> {
  const message = 'must have at most 128 characters'
  if ((recipient?.length ?? 0) > 128) yield [['recipient'], message]
  for (const [index, number] of (phoneNumbers ?? []).entries())
    if (number.length > 128) yield [['phoneNumbers', index], message]
}

export const sendMessageQuery = requestQuery({
  skipPhoneValidation: queryBoolean
    .default(false)
    .meta({ description: 'Lets through whatever a modem can dial, such as short codes', default: false }),
  deviceActiveWithin: queryInteger(0, 1_000_000)
    .default(0)
    .meta({ description: 'Choose only among devices seen within so many hours; 0: any', default: 0 }),
})

const state = z.enum(messageStates)

const recipientState = z
  .strictObject({
    phoneNumber: z.string().meta({ description: 'As normalised; 16 hex digits of its hash when `isHashed`' }),
    state,
    error: z.string().optional().meta({ description: 'Why it failed, or what is being waited for' }),
  })
  .meta({ id: 'RecipientState' })

const later = utcTime.optional()

export const messageState = z
  .strictObject({
    id: resourceId,
    deviceId,
    state,
    isHashed: z.boolean().meta({ description: 'Content and numbers are kept as hashes only' }),
    isEncrypted: z.boolean(),
    recipients: z.array(recipientState),
    states: z
      .strictObject({
        Pending: utcTime,
        Cancelling: later,
        Cancelled: later,
        Processed: later,
        Sent: later,
        Delivered: later,
        Failed: later,
      })
      .meta({ description: 'When each state was reached first' }),
    textMessage: z.strictObject({ text: z.string() }).optional(),
    dataMessage: z.strictObject({ data: z.base64(), port }).optional(),
    hashedMessage: z
      .strictObject({ hash: z.string().meta({ description: 'SHA-256 of the content, hexadecimal' }) })
      .optional(),
    simNumber: simNumber.optional(),
    priority: priority.optional(),
    scheduleAt: later,
    validUntil: later,
    createdAt: utcTime,
  })
  .meta({ id: 'MessageState' })

export const listMessagesQuery = requestQuery({
  ...timeRange,
  state: state.optional(),
  deviceId: z.string().max(128).optional(),
  includeContent: queryBoolean.default(false).meta({ description: 'Texts and data too', default: false }),
  sort: z
    .enum(['created_at', '-created_at'])
    .default('-created_at')
    .meta({ description: 'By creation; newest first by default', default: '-created_at' }),
  ...paging,
}).check(refuseReversedRange)

export type MessageStateAnswer = z.output<typeof messageState>
export type SendMessageQuery = z.output<typeof sendMessageQuery>
