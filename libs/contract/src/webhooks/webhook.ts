import { z } from 'zod'
import { deviceId, givenId, resourceId } from '../fields/ids.ts'
import { nameText } from '../fields/name-text.ts'
import { paging, refuseReversedRange, timeRange } from '../fields/paging.ts'
import { withReason } from '../fields/problem-reason.ts'
import { requestBody } from '../fields/request-body.ts'
import { requestQuery } from '../fields/request-query.ts'
import { instant, utcTime } from '../fields/times.ts'
import { deliveryProblemCode, deliveryProblemValues, newCodes } from './delivery-problem-members.ts'
import { areTwilioEvents, twilioEvents } from './twilio-events.ts'
import { knownToAllClients, webhookEvents } from './webhook-event.ts'

const event = z.enum(webhookEvents, {
  error: ({ input }) =>
    `${JSON.stringify(String(input).slice(0, 64))} is not an event. Use one of ${webhookEvents.join(', ')}`,
})
const events = z
  .array(event)
  .min(1)
  .max(webhookEvents.length)
  .transform((names) => [...new Set(names)])
const anyDevice = z.string().min(1).max(128).optional()
const url = z
  .string()
  .min(1)
  .max(2048)
  .meta({
    description: 'URL with `https:` and without credentials',
    format: 'uri',
    examples: ['https://example.com/sms'],
  })
const name = nameText(100)

const twilioEventsOnly = `cannot be sent in Twilio's format. Use some of ${twilioEvents.join(', ')}`

export const registerWebhookRequest = requestBody({
  id: givenId
    .refine((id) => id !== 'deliveries', 'must not be "deliveries", which is a path of the API: choose another id')
    .optional()
    .meta({ description: 'An existing webhook with this id is replaced. Default: generated' }),
  url,
  event: event.optional().meta({ description: 'The event to send; required without `events`' }),
  events: events.optional().meta({ description: 'Several events to send; takes precedence over `event`' }),
  name: name.optional().meta({ description: 'Name of the webhook, for people. If absent, an existing name is kept' }),
  format: z.enum(['smsgw', 'twilio']).optional().meta({
    description:
      'Format of the requests. `twilio`: forms signed with `X-Twilio-Signature`, as Twilio sends them, for received and sent messages. Default: `smsgw`',
  }),
  deviceId: anyDevice.meta({ description: 'Send only events of this device. `device_id` has the same meaning' }),
  device_id: anyDevice.meta({ synonymOf: 'deviceId' }),
})
  .transform(({ device_id, ...rest }) => ({ ...rest, deviceId: rest.deviceId ?? device_id }))
  .transform(({ event, events, ...rest }, context) => {
    const [first, ...others] = events ?? (event === undefined ? [] : [event])
    if (rest.format === 'twilio' && !areTwilioEvents([first ?? '', ...others])) {
      context.addIssue({
        code: 'custom',
        path: ['events'],
        message: twilioEventsOnly,
        ...withReason('not_a_twilio_event'),
      })
      return z.NEVER
    }
    if (first !== undefined) return { ...rest, events: [first, ...others] as const }
    const message = `is required. Use one of ${webhookEvents.join(', ')}`
    context.addIssue({ code: 'custom', path: ['event'], message, ...withReason('required') })
    return z.NEVER
  })
  .meta({
    id: 'RegisterWebhookRequest',
    examples: [
      { url: 'https://example.com/sms', event: 'sms:received' },
      { url: 'https://example.com/sms', events: ['sms:received', 'sms:failed'], name: 'Support desk' },
    ],
  })

/** Changes the given members and keeps the others. */
export const changeWebhookRequest = requestBody({
  url: url.optional(),
  event: event.optional().meta({ description: 'Replaces all events with this event' }),
  events: events.optional().meta({ description: 'Replaces all events; takes precedence over `event`' }),
  name: name.optional().meta({ description: 'An empty text removes the name' }),
  deviceId: z
    .string()
    .max(128)
    .optional()
    .meta({ description: 'Send only events of this device; an empty text means all devices' }),
  paused: z.boolean().optional().meta({
    description:
      '`true` pauses the webhook. Its events wait until the webhook is resumed. They are deleted if they wait longer than finished deliveries are kept. `false` resumes the webhook, and enables it if it was disabled',
  }),
})
  .transform(({ event, events, ...rest }) => {
    const [first, ...others] = events ?? (event === undefined ? [] : [event])
    return { ...rest, ...(first !== undefined && { events: [first, ...others] as const }) }
  })
  .meta({
    id: 'ChangeWebhookRequest',
    examples: [{ name: 'Support desk', events: ['sms:received'] }, { paused: true }],
  })

export const testWebhookQuery = requestQuery({
  event: event.optional().meta({ description: 'The event to sample. Default: the first event of the webhook' }),
})

export const webhook = z
  .strictObject({
    id: resourceId,
    url: z.string(),
    event: knownToAllClients.meta({
      description:
        'For clients that read a single event: the first of `events`, leaving out `call:received`, which clients of *SMS Gateway for Android* do not know; `app:started` if nothing else is left. Use `events` instead',
    }),
    events: z.array(z.enum(webhookEvents)).min(1).meta({ description: 'The events that the webhook receives' }),
    name: z.string().optional(),
    format: z.enum(['twilio', 'twilio-status', 'kannel-dlr']).optional().meta({
      description:
        "Format of the requests. Absent means the format of this API. `twilio`: Twilio's format. `twilio-status`: Twilio's format, sent to the `StatusCallback` URL of each message; `url` is the origin of these URLs. `kannel-dlr`: `GET` requests to the `dlr-url` of messages that were sent through Kannel's interface. The relay creates a webhook with `twilio-status` or `kannel-dlr` when it accepts the first message with a `StatusCallback` or `dlr-url`",
    }),
    deviceId: deviceId
      .nullable()
      .meta({ description: 'Id of the device whose events are sent; null means all devices' }),
    device_id: deviceId.nullable().meta({ synonymOf: 'deviceId' }),
    secret: z
      .string()
      .optional()
      .meta({ description: 'Key that signs the requests; returned only when the webhook is created' }),
    pausedAt: utcTime
      .optional()
      .meta({ description: 'Time at which the webhook was paused by a `PATCH` request; its deliveries wait' }),
    disabledAt: utcTime
      .optional()
      .meta({ description: 'Time at which the webhook was disabled; resume it or register it again to enable it' }),
    disabledReason: z.string().optional().meta({ description: 'Why the webhook was disabled' }),
    disabledCode: deliveryProblemCode
      .optional()
      .meta({ description: `Stable code of \`disabledReason\`. ${newCodes}` }),
    disabledValues: deliveryProblemValues
      .optional()
      .meta({ description: 'Values that belong to `disabledCode`. `lastErrorCode` is the code of `lastError`' }),
  })
  .meta({ id: 'Webhook' })

export const deliveryStates = ['waiting', 'delivered', 'failed', 'dropped'] as const

const deliveryState = z
  .enum(deliveryStates)
  .meta({ description: '`failed`: all attempts failed. `dropped`: not sent, see `droppedReason`' })

const attempt = z.strictObject({
  number: z.int().min(1),
  startedAt: utcTime,
  durationMs: z.int().min(0),
  url: z.string().optional().meta({ description: 'URL of the request; absent if an older release did not record it' }),
  status: z.int().optional().meta({ description: 'HTTP status of the response' }),
  error: z
    .string()
    .optional()
    .meta({ description: 'Why no HTTP status was received, or why the reply to a received message was not sent' }),
  errorCode: deliveryProblemCode.optional().meta({ description: `Stable code of \`error\`. ${newCodes}` }),
  errorValues: deliveryProblemValues.optional().meta({ description: 'Values that belong to `errorCode`' }),
  excerpt: z.string().optional().meta({ description: 'Start of the response' }),
})

const deliveryMembers = z.strictObject({
  id: z.string().meta({ description: 'Id of the event' }),
  webhookId: resourceId,
  event: z.enum(webhookEvents),
  deviceId,
  state: deliveryState,
  createdAt: utcTime,
  nextAttemptAt: utcTime
    .optional()
    .meta({ description: 'Time of the next attempt; present while the delivery is waiting' }),
  droppedReason: z
    .string()
    .optional()
    .meta({ description: 'Why a dropped delivery was dropped; absent if an older release did not record it' }),
  droppedCode: deliveryProblemCode.optional().meta({ description: `Stable code of \`droppedReason\`. ${newCodes}` }),
  droppedValues: deliveryProblemValues.optional().meta({ description: 'Values that belong to `droppedCode`' }),
  finishedAt: utcTime.optional(),
  attemptCount: z.int().min(0),
  attempts: z.array(attempt).meta({ description: 'Oldest first' }),
})

export const delivery = deliveryMembers.meta({ id: 'WebhookDelivery' })

const deliveryRequest = z.strictObject({
  method: z.literal('POST'),
  url: z.string().meta({ description: 'Current URL of the webhook' }),
  headers: z.record(z.string(), z.string()).meta({ description: 'Headers that are the same in each attempt' }),
  headersOfAttempt: z.array(z.string()).meta({
    description:
      'Names of the headers whose values are computed again for each attempt, from the time of the attempt and the secret. The values are not stored',
  }),
  body: z
    .string()
    .optional()
    .meta({ description: 'Body of the request; absent when the scopes of the token do not allow reading it' }),
  isHashed: z
    .boolean()
    .optional()
    .meta({ description: 'True when neither this delivery nor the message contains the phone number any longer' }),
})

export const deliveryWithRequest = deliveryMembers
  .extend({ request: deliveryRequest })
  .meta({ id: 'WebhookDeliveryWithRequest' })

export const listDeliveriesQuery = requestQuery({
  state: deliveryState.optional(),
  ...timeRange,
  ...paging,
}).check(refuseReversedRange)

export const redeliverRequest = requestBody({
  from: instant.meta({ description: 'Start of the period, inclusive' }),
  to: instant.meta({ description: 'End of the period, exclusive' }),
  state: deliveryState
    .optional()
    .meta({ description: 'Redeliver only deliveries in this state. Default: finished deliveries' }),
})
  .check(refuseReversedRange)
  .meta({
    id: 'RedeliverRequest',
    examples: [{ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', state: 'failed' }],
  })

export type WebhookAnswer = z.output<typeof webhook>
export type DeliveryState = z.output<typeof deliveryState>
export type DeliveryAnswer = z.output<typeof delivery>
export type DeliveryWithRequest = z.output<typeof deliveryWithRequest>
export type RedeliverRequest = z.output<typeof redeliverRequest>
