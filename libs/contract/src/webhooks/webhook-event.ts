import { z } from 'zod'
import { deviceId, resourceId } from '../fields/ids.ts'
import { localTime } from '../fields/times.ts'
import { inboxAttachment } from '../inbox/inbox.ts'
import { possibleDuplicate } from '../messages/message.ts'
import { health } from '../relay/health.ts'

/**
 * Events for which webhooks can be registered. The two `downloaded` events come only from phones, because an AT modem
 * does not download MMS.
 */
export const webhookEvents = [
  'sms:received',
  'sms:data-received',
  'mms:received',
  'mms:downloaded',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:cancelled',
  'call:received',
  'system:ping',
  'app:started',
  'sms:batch:received',
  'sms:batch:data-received',
  'mms:batch:received',
  'mms:batch:downloaded',
] as const

export type WebhookEventName = (typeof webhookEvents)[number]

/** Events of this product alone. Clients of *SMS Gateway for Android* fail when an answer contains an unknown event. */
const ownEvents = ['call:received'] as const

/** The events that clients of *SMS Gateway for Android* know. */
export const knownToAllClients = z.enum(webhookEvents).exclude(ownEvents)

/**
 * Returns the event that represents a webhook for clients that read a single event. It is the first of `events` that
 * these clients know. If they know none, it is `app:started`, so that they can still list and delete the webhook.
 */
export function representativeEvent(events: readonly WebhookEventName[]): z.output<typeof knownToAllClients> {
  return events.flatMap((event) => knownToAllClients.safeParse(event).data ?? [])[0] ?? 'app:started'
}

const simNumber = z.int().min(1).max(64).meta({ description: 'Slot of the SIM, counted from 1' })

const inbound = {
  messageId: z.string().meta({ description: 'Id of the inbox item' }),
  sender: z
    .string()
    .meta({ description: 'Phone number or name of the sender; if the account hides senders, the alias of the sender' }),
  recipient: z
    .string()
    .nullable()
    .meta({ description: 'Phone number of the SIM that received the message; null when unknown' }),
  simNumber: z
    .int()
    .min(0)
    .max(64)
    .meta({ description: 'Slot of the SIM, counted from 1; 0 when a phone does not report it' }),
  phoneNumber: z.string().meta({ description: 'Same as `sender`; use `sender` instead', deprecated: true }),
  isEncrypted: z
    .literal(true)
    .optional()
    .meta({ description: 'Present when the content is encrypted with the key of the account' }),
}
const receivedAt = localTime.meta({ description: "The network's time stamp if plausible, otherwise the agent's time" })

const receivedText = z.strictObject({ ...inbound, message: z.string(), receivedAt }).meta({ id: 'SmsReceivedPayload' })

const receivedData = z
  .strictObject({ ...inbound, data: z.base64(), port: z.int().min(0).max(65_535), receivedAt })
  .meta({ id: 'SmsDataReceivedPayload' })

const receivedMms = z
  .strictObject({
    ...inbound,
    transactionId: z.string(),
    subject: z.string().optional(),
    size: z.int().min(0).meta({ description: 'Size of the MMS in bytes' }),
    contentClass: z.string().meta({ description: 'Empty when unknown' }),
    contentLocation: z.string().optional(),
    expiresAt: localTime.optional(),
    receivedAt,
  })
  .meta({ id: 'MmsReceivedPayload', description: 'Notification of an MMS; its content is not downloaded' })

const downloadedMms = z
  .strictObject({
    ...inbound,
    body: z.string().meta({ description: 'Text of the MMS; empty when it has none' }),
    subject: z.string().optional(),
    attachments: z
      .array(inboxAttachment)
      .meta({ description: 'The attachments; download each from `/inbox/{messageId}/attachments/{partId}`' }),
    receivedAt,
  })
  .meta({ id: 'MmsDownloadedPayload', description: 'An MMS that a phone has downloaded' })

const outbound = {
  messageId: resourceId,
  sender: z.string().meta({ description: 'Phone number of the SIM; empty when unknown' }),
  recipient: z.string().meta({ description: 'Phone number of the recipient; empty when only its hash is stored' }),
  simNumber: z.int().min(0).max(64).meta({
    description:
      'Slot of the SIM that sent the message, counted from 1. If no SIM sent it, the slot of the requested or chosen SIM; 0 if several SIMs were possible and none was chosen yet',
  }),
  phoneNumber: z.string().meta({ description: 'Same as `recipient`; use `recipient` instead', deprecated: true }),
  possibleDuplicate,
}

const sent = z
  .strictObject({ ...outbound, partsCount: z.int().min(1).max(255), sentAt: localTime })
  .meta({ id: 'SmsSentPayload' })

const delivered = z.strictObject({ ...outbound, deliveredAt: localTime }).meta({ id: 'SmsDeliveredPayload' })

const failed = z
  .strictObject({
    ...outbound,
    failedAt: localTime,
    reason: z.string(),
    error: z.string().meta({ description: 'Same as `reason`' }),
  })
  .meta({ id: 'SmsFailedPayload' })

const cancelled = z.strictObject({ ...outbound, cancelledAt: localTime }).meta({ id: 'SmsCancelledPayload' })

const call = z
  .strictObject({
    caller: z.string().nullable().meta({ description: 'Phone number of the caller, or its alias; null when withheld' }),
    recipient: z.string().nullable().meta({ description: 'Phone number of the called SIM; null when unknown' }),
    simNumber,
    receivedAt: localTime.meta({ description: 'When the modem first rang' }),
  })
  .meta({ id: 'CallReceivedPayload', description: 'A call to the SIM; the modem never answers it' })

const ping = z
  .strictObject({ health })
  .meta({ id: 'SystemPingPayload', description: 'Health of the device, in the format of `GET /health`' })

const simCard = z.strictObject({
  slotIndex: z.int().min(0).meta({ description: 'Counted from 0' }),
  simNumber,
  phoneNumber: z.string().optional(),
  carrierName: z.string().optional(),
  iccid: z.string().optional(),
  signal: z.int().min(0).max(100).optional(),
  state: z.string(),
})

const appStarted = z.strictObject({ simCards: z.array(simCard) }).meta({ id: 'AppStartedPayload' })

/** The payload schema of each event. */
export const webhookPayloads = {
  'sms:received': receivedText,
  'sms:data-received': receivedData,
  'mms:received': receivedMms,
  'mms:downloaded': downloadedMms,
  'sms:sent': sent,
  'sms:delivered': delivered,
  'sms:failed': failed,
  'sms:cancelled': cancelled,
  'call:received': call,
  'system:ping': ping,
  'app:started': appStarted,
  'sms:batch:received': batchOf(receivedText).meta({ id: 'SmsBatchReceivedPayload' }),
  'sms:batch:data-received': batchOf(receivedData).meta({ id: 'SmsBatchDataReceivedPayload' }),
  'mms:batch:received': batchOf(receivedMms).meta({ id: 'MmsBatchReceivedPayload' }),
  'mms:batch:downloaded': batchOf(downloadedMms).meta({ id: 'MmsBatchDownloadedPayload' }),
} as const

function batchOf<Payload extends z.ZodType>(payload: Payload) {
  return z.strictObject({ messages: z.array(payload).min(1) })
}

export type WebhookPayloads = { [Event in keyof typeof webhookPayloads]: z.output<(typeof webhookPayloads)[Event]> }
export type EmittedEvent = keyof WebhookPayloads

/** The body of a webhook request. */
export const webhookEnvelope = z.discriminatedUnion('event', [
  envelopeOf('sms:received'),
  envelopeOf('sms:data-received'),
  envelopeOf('mms:received'),
  envelopeOf('mms:downloaded'),
  envelopeOf('sms:sent'),
  envelopeOf('sms:delivered'),
  envelopeOf('sms:failed'),
  envelopeOf('sms:cancelled'),
  envelopeOf('call:received'),
  envelopeOf('system:ping'),
  envelopeOf('app:started'),
  envelopeOf('sms:batch:received'),
  envelopeOf('sms:batch:data-received'),
  envelopeOf('mms:batch:received'),
  envelopeOf('mms:batch:downloaded'),
])

function envelopeOf<Event extends EmittedEvent>(event: Event) {
  return z
    .strictObject({
      deviceId,
      event: z.literal(event),
      id: z.string().meta({ description: 'Id of the event, the same in all attempts and redeliveries' }),
      webhookId: resourceId,
      payload: webhookPayloads[event],
    })
    .meta({ id: `${webhookPayloads[event].meta()?.id?.replace('Payload', 'Event')}` })
}
