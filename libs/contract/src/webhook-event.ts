import { z } from 'zod'
import { deviceId, resourceId } from './ids.ts'
import { localTime } from './times.ts'

/** What a webhook can be registered for. The two `downloaded` ones stay silent: an AT modem does not download. */
export const webhookEvents = [
  'sms:received',
  'sms:data-received',
  'mms:received',
  'mms:downloaded',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:cancelled',
  'system:ping',
  'app:started',
  'sms:batch:received',
  'sms:batch:data-received',
  'mms:batch:received',
  'mms:batch:downloaded',
] as const

export type WebhookEvent = (typeof webhookEvents)[number]

const simNumber = z.int().min(1).max(64).meta({ description: 'Slot of the SIM, counted from 1' })

const inbound = {
  messageId: z.string().meta({ description: 'Id of the inbox item' }),
  sender: z.string().meta({ description: 'Number or name that it came from' }),
  recipient: z.string().nullable().meta({ description: 'Number of the SIM that received it; null when unknown' }),
  simNumber,
  phoneNumber: z.string().meta({ description: 'Same as `sender`; use that', deprecated: true }),
}
const receivedAt = localTime.meta({ description: "The network's time stamp when plausible, else the agent's time" })

const receivedText = z.strictObject({ ...inbound, message: z.string(), receivedAt }).meta({ id: 'SmsReceivedPayload' })

const receivedData = z
  .strictObject({ ...inbound, data: z.base64(), port: z.int().min(0).max(65_535), receivedAt })
  .meta({ id: 'SmsDataReceivedPayload' })

const receivedMms = z
  .strictObject({
    ...inbound,
    transactionId: z.string(),
    subject: z.string().optional(),
    size: z.int().min(0).meta({ description: 'Octets to download' }),
    contentClass: z.string().meta({ description: 'Empty when unknown' }),
    contentLocation: z.string().optional(),
    expiresAt: localTime.optional(),
    receivedAt,
  })
  .meta({ id: 'MmsReceivedPayload', description: 'As announced: the content is not downloaded' })

const outbound = {
  messageId: resourceId,
  sender: z.string().meta({ description: 'Number of the SIM; empty when unknown' }),
  recipient: z.string().meta({ description: 'Number that it goes to; empty when only its hash is kept' }),
  simNumber: z
    .int()
    .min(0)
    .max(64)
    .meta({ description: 'Slot of the SIM, counted from 1; 0 when it ended before one was chosen' }),
  phoneNumber: z.string().meta({ description: 'Same as `recipient`; use that', deprecated: true }),
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

const ping = z
  .strictObject({ health: z.record(z.string(), z.unknown()).meta({ description: 'As the agent tells it' }) })
  .meta({ id: 'SystemPingPayload' })

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

/** What one event tells, by its name. */
export const webhookPayloads = {
  'sms:received': receivedText,
  'sms:data-received': receivedData,
  'mms:received': receivedMms,
  'sms:sent': sent,
  'sms:delivered': delivered,
  'sms:failed': failed,
  'sms:cancelled': cancelled,
  'system:ping': ping,
  'app:started': appStarted,
  'sms:batch:received': batchOf(receivedText).meta({ id: 'SmsBatchReceivedPayload' }),
  'sms:batch:data-received': batchOf(receivedData).meta({ id: 'SmsBatchDataReceivedPayload' }),
  'mms:batch:received': batchOf(receivedMms).meta({ id: 'MmsBatchReceivedPayload' }),
} as const

function batchOf<Payload extends z.ZodType>(payload: Payload) {
  return z.strictObject({ messages: z.array(payload).min(1) })
}

export type WebhookPayloads = { [Event in keyof typeof webhookPayloads]: z.output<(typeof webhookPayloads)[Event]> }
/** An event that is told: all but those that stay silent. */
export type ToldEvent = keyof WebhookPayloads

/** The body of a webhook request. */
export const webhookEnvelope = z.discriminatedUnion('event', [
  envelopeOf('sms:received'),
  envelopeOf('sms:data-received'),
  envelopeOf('mms:received'),
  envelopeOf('sms:sent'),
  envelopeOf('sms:delivered'),
  envelopeOf('sms:failed'),
  envelopeOf('sms:cancelled'),
  envelopeOf('system:ping'),
  envelopeOf('app:started'),
  envelopeOf('sms:batch:received'),
  envelopeOf('sms:batch:data-received'),
  envelopeOf('mms:batch:received'),
])

function envelopeOf<Event extends ToldEvent>(event: Event) {
  return z.strictObject({
    deviceId,
    event: z.literal(event),
    id: z.string().meta({ description: 'Derived from what happened: the same in every attempt, for ever' }),
    webhookId: resourceId,
    payload: webhookPayloads[event],
  })
}
