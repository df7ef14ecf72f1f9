import { z } from 'zod'
import { isNumberAlias } from '../devices/number-alias.ts'
import { DecodedBase64 } from '../fields/decoded-base64.ts'
import { deviceId, givenId, keyId, resourceId } from '../fields/ids.ts'
import { paging, refuseReversedRange, timeRange } from '../fields/paging.ts'
import { type FieldReason, withReason } from '../fields/problem-reason.ts'
import { requestBody } from '../fields/request-body.ts'
import { queryBoolean, queryInteger, requestQuery } from '../fields/request-query.ts'
import { instant, utcTime } from '../fields/times.ts'
import { needsPrivateKey, readEncryptedValue } from './encrypted-field.ts'
import { errorCodeMeaning } from './failure-code.ts'
import { messageStates } from './message-states.ts'
import {
  type AttachmentOctets,
  isEncrypted as isEncryptedData,
  LONGEST_NAME,
  LONGEST_SUBJECT,
  type MmsContent,
  mmsToSend,
  mmsValues,
  sentMms,
} from './mms.ts'
import { networkCause, networkCode } from './network-cause-members.ts'
import { waiting } from './waiting.ts'

const text = z.string().min(1).max(65_535)
const port = z.int().min(1).max(65_535).meta({ description: 'Application port of the recipient' })
const priority = z.int().min(-128).max(127)
/** What to do when the outcome of a part cannot be determined. */
export const onUncertain = z.enum(['resolve', 'resend'])
const simNumber = z.int().min(1).max(64).meta({ description: 'Slot of the SIM, counted from 1' })

const messageBody = requestBody({
  phoneNumbers: z
    .array(z.string().min(1).max(512))
    .min(1)
    .max(100)
    .optional()
    .meta({
      description:
        'Recipients, without duplicates. Required unless `recipient` is set. Also accepts the alias of a sender: the device that reported the alias then sends the message',
      examples: [['+14155550123']],
    }),
  recipient: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .meta({ description: 'A single recipient; same as `phoneNumbers` with one number' }),
  textMessage: requestBody({ text: text.meta({ examples: ['Your table is ready'] }) })
    .optional()
    .meta({
      description: 'Text to send. Exactly one of `textMessage`, `dataMessage`, `mmsMessage` and `message` is required',
    }),
  dataMessage: requestBody({
    data: z
      .string()
      .min(1)
      .max(65_535)
      .meta({
        description: 'At least one byte in base64; encrypted when `isEncrypted` is true',
        examples: ['SGVsbG8='],
      }),
    port,
  })
    .optional()
    .meta({ description: 'Data to send to an application port' }),
  message: text.optional().meta({ description: 'Same as `textMessage.text`', deprecated: true }),
  mmsMessage: mmsToSend.optional().meta({
    description: 'MMS to send; it needs a text or an attachment. Only phones can send MMS, modems cannot',
  }),
  id: givenId.optional(),
  deviceId: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Device that sends the message. Default: chosen automatically' }),
  simNumber: simNumber.optional(),
  withDeliveryReport: z.boolean().default(true).meta({ description: 'Request a delivery report from the network' }),
  priority: priority
    .optional()
    .meta({ description: 'Default: 0. From 100, the message bypasses limits, delays and work hours' }),
  ttl: z.int().min(5).max(2_147_483_647).optional().meta({
    description: 'Seconds after acceptance during which the message may be sent. Alternative to `validUntil`',
  }),
  validUntil: instant
    .optional()
    .meta({ description: 'Latest time at which the message may be sent. Alternative to `ttl`' }),
  scheduleAt: instant.optional().meta({ description: 'Earliest time at which the message is sent' }),
  onUncertain: onUncertain.optional().meta({
    description:
      'What to do if it cannot be determined whether a part was sent. `resolve` (default): send nothing; the message ends as `Failed` with `submit_unknown`. `resend`: send that part once more; the message may arrive twice and is marked with `possibleDuplicate`',
  }),
  isEncrypted: z.boolean().default(false).meta({
    description:
      'True when the numbers and the content are encrypted. Encrypt each number and the text, or the base64 of the data. For an MMS, encrypt the subject, the text, and the name and base64 of each attachment. A value encrypted with a passphrase has the form `$aes-256-cbc/pbkdf2-sha1$i=<iterations>$<salt>$<ciphertext>` (salt and ciphertext in base64). A value encrypted with the `publicKey` of a device has the form `$rsa-oaep-aes-256-gcm$v=1$k=<keyVersion>$<wrapped key>$<iv>$<ciphertext>`. Only the device can decrypt the values',
  }),
})

type MessageBody = z.output<typeof messageBody>

/** Validates and normalises all members that need no clock, numbering plan or account. */
export const sendMessageRequest = messageBody
  .check(({ value, issues }) => {
    for (const [path, message, reason = 'invalid'] of bodyProblems(value))
      issues.push({ code: 'custom', path, message, input: value, ...withReason(reason) })
  })
  .transform(({ phoneNumbers, recipient, textMessage, dataMessage, message, mmsMessage, ttl, ...rest }) => ({
    ...rest,
    /** The numbers in the request, not normalised and possibly with duplicates. */
    phoneNumbers: phoneNumbers ?? [recipient ?? ''],
    content: contentOf(textMessage?.text ?? message, dataMessage, mmsMessage),
    ttlSeconds: ttl,
  }))
  .meta({
    id: 'SendMessageRequest',
    examples: [{ phoneNumbers: ['+14155550123'], textMessage: { text: 'Your table is ready' } }],
  })

export type SendMessageRequest = z.output<typeof sendMessageRequest>
/** `data` is base64. In an encrypted message, the text or the base64 is encrypted. */
export type MessageContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: string; readonly port: number }
  | MmsContent

function contentOf(
  text: string | undefined,
  data: MessageBody['dataMessage'],
  mms: MessageBody['mmsMessage'],
): MessageContent {
  if (mms) return { kind: 'mms', ...mms }
  return data ? { kind: 'data', ...data } : { kind: 'text', text: text ?? '' }
}

type BodyProblem = [path: PropertyKey[], message: string, reason?: FieldReason]

const CONTENTS = ['textMessage', 'dataMessage', 'mmsMessage', 'message'] as const

function* bodyProblems(body: MessageBody): Generator<BodyProblem> {
  const { phoneNumbers, recipient, isEncrypted, ttl, validUntil, scheduleAt } = body
  if (phoneNumbers && recipient !== undefined)
    yield [['recipient'], 'cannot be combined with phoneNumbers: use only one of them']
  if (!phoneNumbers && recipient === undefined)
    yield [['phoneNumbers'], 'is required: add at least one recipient, for example ["+447400123456"]', 'required']
  const contents = CONTENTS.filter((name) => body[name] !== undefined)
  if (contents.length === 0)
    yield [['textMessage'], 'is required: add textMessage.text, dataMessage or mmsMessage', 'required']
  if (contents.length > 1) yield [[contents[1] ?? ''], `cannot be combined with ${contents[0]}: use only one of them`]
  const { mmsMessage: mms } = body
  if (mms && mms.text === undefined && mms.attachments.length === 0)
    yield [['mmsMessage'], 'needs a text or an attachment']
  if (isEncrypted) yield* encryptionProblems(body)
  else yield* formatProblems(body)
  if (ttl !== undefined && validUntil) yield [['ttl'], 'cannot be combined with validUntil: use only one of them']
  if (scheduleAt && validUntil && scheduleAt >= validUntil)
    yield [['scheduleAt'], 'must be before validUntil', 'not_before_deadline']
}

/** An unencrypted value in an encrypted message is refused, because it would fail at the agent. */
function* encryptionProblems(body: MessageBody): Generator<BodyProblem> {
  const { phoneNumbers, recipient, textMessage, message, dataMessage, mmsMessage, deviceId } = body
  const numbers: readonly [path: PropertyKey[], value: string | undefined][] = [
    ...(phoneNumbers ?? []).map((number, index): [PropertyKey[], string] => [['phoneNumbers', index], number]),
    [['recipient'], recipient],
  ]
  const ofMms = mmsMessage ? mmsValues(mmsMessage) : []
  const fields: readonly [path: PropertyKey[], value: string | AttachmentOctets | undefined][] = [
    ...numbers.filter(([, number]) => number === undefined || !isNumberAlias(number)),
    [['textMessage', 'text'], textMessage?.text],
    [['message'], message],
    [['dataMessage', 'data'], dataMessage?.data],
    ...ofMms.map(({ path, value }): [PropertyKey[], string | AttachmentOctets] => [path, value]),
  ]
  let needsKey = false
  for (const [path, value] of fields) {
    if (value === undefined) continue
    // Base64 that was decoded while the request arrived was not encrypted.
    const encrypted = value instanceof DecodedBase64 ? '' : value
    const read = readEncryptedValue(encrypted)
    if (!read.ok) yield [path, `${read.problem} (isEncrypted is true)`]
    else needsKey ||= needsPrivateKey(encrypted)
  }
  if (deviceId === undefined && needsKey)
    yield [['deviceId'], 'is required, because the message is encrypted with the public key of one device']
}

const base64 = z.base64()

function* formatProblems(body: MessageBody): Generator<BodyProblem> {
  yield* numberLengthProblems(body)
  if (body.dataMessage && !base64.safeParse(body.dataMessage.data).success)
    yield [['dataMessage', 'data'], 'must be base64']
  if (body.mmsMessage) yield* mmsProblems(body.mmsMessage)
}

function* mmsProblems({ subject, attachments }: Omit<MmsContent, 'kind'>): Generator<BodyProblem> {
  if ((subject?.length ?? 0) > LONGEST_SUBJECT)
    yield [['mmsMessage', 'subject'], `must have at most ${LONGEST_SUBJECT} characters`]
  for (const [index, { name = '', data }] of attachments.entries()) {
    const path = ['mmsMessage', 'attachments', index]
    if (name.length > LONGEST_NAME) yield [[...path, 'name'], `must have at most ${LONGEST_NAME} characters`]
    if (isEncryptedData(data)) yield [[...path, 'data'], 'must be base64']
  }
}

function* numberLengthProblems({ phoneNumbers, recipient }: MessageBody): Generator<BodyProblem> {
  const message = 'must have at most 128 characters'
  if ((recipient?.length ?? 0) > 128) yield [['recipient'], message]
  for (const [index, number] of (phoneNumbers ?? []).entries())
    if (number.length > 128) yield [['phoneNumbers', index], message]
}

export const sendMessageQuery = requestQuery({
  skipPhoneValidation: queryBoolean
    .default(false)
    .meta({ description: 'Accept any number that a modem can dial, such as short codes', default: false }),
  allowShortCodes: queryBoolean.default(false).meta({
    description:
      'Keep numbers of 3 to 6 digits as written, unless they are mobile numbers of `DEFAULT_REGION`. Check all others',
    default: false,
  }),
  deviceActiveWithin: queryInteger(0, 1_000_000)
    .default(0)
    .meta({ description: 'Use only devices seen within this number of hours; 0 means any device', default: 0 }),
})

const state = z.enum(messageStates)

/** Only present if true. */
export const possibleDuplicate = z.literal(true).optional().meta({
  description: 'The message was sent again because its outcome was unknown (`onUncertain`), and may have arrived twice',
})

const recipientState = z
  .strictObject({
    phoneNumber: z
      .string()
      .meta({ description: 'Normalised number; 16 hexadecimal digits of its hash when `isHashed` is true' }),
    state,
    error: z.string().optional().meta({ description: 'Why the message failed, or why it is waiting' }),
    errorCode: z.string().optional().meta({ description: errorCodeMeaning }),
    networkCode: networkCode.optional(),
    cause: networkCause.optional(),
    waiting: waiting.optional(),
    possibleDuplicate,
  })
  .meta({ id: 'RecipientState' })

export const sentByKind = z.enum(['key', 'token', 'password', 'session', 'webhook'])

/** The credentials with which a message was sent. */
const sentBy = z
  .strictObject({
    kind: sentByKind.meta({
      description:
        "`key`: an API key, or a token that it issued; `session`: a browser that is signed in; `webhook`: a server that receives a webhook in Twilio's format; the message is its reply to a received message",
    }),
    keyId: keyId.optional().meta({ description: 'Id of the API key' }),
    keyName: z.string().optional().meta({ description: 'Current name of the API key' }),
  })
  .meta({ id: 'SentBy', description: 'Who sent the message; absent for messages that older releases accepted' })

export type SentBy = z.output<typeof sentBy>

export const approvalStates = ['pending', 'approved', 'refused', 'expired'] as const

const approval = z
  .strictObject({
    state: z.enum(approvalStates),
    until: utcTime.meta({ description: 'Time until which the message can be approved' }),
    decidedAt: utcTime.optional().meta({
      description: 'Time at which the message was approved or rejected, or at which the time to approve it ran out',
    }),
    decidedBy: z
      .string()
      .optional()
      .meta({ description: 'Name of the user or the API key that approved or rejected the message' }),
  })
  .meta({ id: 'Approval', description: 'Absent if the message needs no approval' })

const later = utcTime.optional()

export const messageState = z
  .strictObject({
    id: resourceId,
    deviceId,
    state,
    isHashed: z.boolean().meta({ description: 'True when only hashes of the content and the numbers are stored' }),
    isEncrypted: z.boolean(),
    recipients: z.array(recipientState),
    waiting: waiting.optional().meta({ description: 'Waiting reason of the first waiting recipient' }),
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
      .meta({ description: 'Time at which each state was first reached' }),
    textMessage: z.strictObject({ text: z.string() }).optional(),
    dataMessage: z.strictObject({ data: z.string().meta({ description: 'As submitted' }), port }).optional(),
    mmsMessage: sentMms.optional(),
    hashedMessage: z
      .strictObject({ hash: z.string().meta({ description: 'SHA-256 of the content, hexadecimal' }) })
      .optional(),
    simNumber: simNumber.optional().meta({
      description:
        'Slot of the SIM that was requested. If none was requested, slot of the SIM that sends the message; absent if several SIMs send the message',
    }),
    priority: priority.optional(),
    scheduleAt: later,
    validUntil: later,
    onUncertain: onUncertain.optional().meta({ description: 'As requested' }),
    sentBy: sentBy.optional(),
    approval: approval.optional(),
    createdAt: utcTime,
  })
  .meta({ id: 'MessageState' })

const includeAttachmentData = queryBoolean.default(true).meta({
  description:
    'Include the data of MMS attachments with the content. False lists the attachments without their data; download the data of each one separately',
  default: true,
})

export const getMessageQuery = requestQuery({ includeAttachmentData })

export const listMessagesQuery = requestQuery({
  ...timeRange,
  state: state.optional(),
  hasFailed: queryBoolean
    .optional()
    .meta({ description: 'True returns only messages with at least one failed recipient, whatever their `state`' }),
  deviceId: z.string().max(128).optional(),
  sentBy: z
    .union([sentByKind, keyId], {
      error: 'must be the id of an API key, or one of "key", "token", "password", "session" and "webhook"',
    })
    .optional()
    .meta({
      description:
        'Id of an API key, to list the messages that were sent with this key; or `key`, `token`, `password`, `session` or `webhook`, to list all messages that were sent in this way',
    }),
  approval: z.enum(approvalStates).optional().meta({
    description: 'Return only messages in this state of approval; `pending` messages still wait for approval',
  }),
  includeContent: queryBoolean.default(false).meta({ description: 'Include texts and data', default: false }),
  includeAttachmentData,
  sort: z
    .enum(['created_at', '-created_at'])
    .default('-created_at')
    .meta({ description: 'Order by creation time. Default: newest first', default: '-created_at' }),
  ...paging,
}).check(refuseReversedRange)

export type ApprovalState = (typeof approvalStates)[number]
export type MessageStateAnswer = z.output<typeof messageState>
export type SendMessageQuery = z.output<typeof sendMessageQuery>
