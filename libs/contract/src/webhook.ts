import { z } from 'zod'
import { deviceId, givenId, resourceId } from './ids.ts'
import { paging, refuseReversedRange, timeRange } from './paging.ts'
import { requestBody } from './request-body.ts'
import { requestQuery } from './request-query.ts'
import { instant, utcTime } from './times.ts'
import { webhookEvents } from './webhook-event.ts'

const event = z.enum(webhookEvents, { error: `is no event; known are ${webhookEvents.join(', ')}` })
const anyDevice = z.string().min(1).max(128).optional()

export const registerWebhookRequest = requestBody({
  id: givenId.optional().meta({ description: 'One that exists is replaced; generated when left out' }),
  url: z
    .string()
    .min(1)
    .max(2048)
    .meta({ description: '`https:`, without credentials', format: 'uri', examples: ['https://example.com/sms'] }),
  event,
  deviceId: anyDevice.meta({ description: 'Events of this device only' }),
  device_id: anyDevice.meta({ description: 'Same as `deviceId`, which wins' }),
})
  .transform(({ device_id, ...rest }) => ({ ...rest, deviceId: rest.deviceId ?? device_id }))
  .meta({ id: 'RegisterWebhookRequest', examples: [{ url: 'https://example.com/sms', event: 'sms:received' }] })

export const webhook = z
  .strictObject({
    id: resourceId,
    url: z.string(),
    event: z.enum(webhookEvents),
    deviceId: deviceId.nullable().meta({ description: 'Null: events of all devices' }),
    device_id: deviceId.nullable().meta({ description: 'Same as `deviceId`' }),
    secret: z
      .string()
      .optional()
      .meta({ description: 'Signs its requests; shown in the answer that made it, never again' }),
    disabledAt: utcTime.optional().meta({ description: 'Since when it gets nothing; registering it again enables it' }),
    disabledReason: z.string().optional(),
  })
  .meta({ id: 'Webhook' })

export const deliveryStates = ['waiting', 'delivered', 'failed', 'dropped'] as const

const deliveryState = z
  .enum(deliveryStates)
  .meta({ description: '`failed`: given up. `dropped`: the webhook was disabled or deleted' })

const attempt = z.strictObject({
  number: z.int().min(1),
  startedAt: utcTime,
  durationMs: z.int().min(0),
  status: z.int().optional().meta({ description: 'HTTP status of the receiver' }),
  error: z.string().optional().meta({ description: 'What went wrong when there was no status' }),
  excerpt: z.string().optional().meta({ description: 'How the answer of the receiver began' }),
})

const deliveryMembers = z.strictObject({
  id: z.string().meta({ description: '`id` of the event' }),
  webhookId: resourceId,
  event: z.enum(webhookEvents),
  deviceId,
  state: deliveryState,
  createdAt: utcTime,
  nextAttemptAt: utcTime.optional().meta({ description: 'While it waits' }),
  finishedAt: utcTime.optional(),
  attemptCount: z.int().min(0),
  attempts: z.array(attempt).meta({ description: 'Oldest first' }),
})

export const delivery = deliveryMembers.meta({ id: 'WebhookDelivery' })

const deliveryRequest = z.strictObject({
  method: z.literal('POST'),
  url: z.string().meta({ description: 'As the webhook is registered now' }),
  headers: z.record(z.string(), z.string()).meta({ description: 'Those that are the same at each attempt' }),
  headersOfAttempt: z
    .array(z.string())
    .meta({ description: 'Made anew for each attempt from its time and the secret, and kept nowhere' }),
  body: z
    .string()
    .optional()
    .meta({ description: 'As it is sent; left out for a token that may not read what it holds' }),
  isHashed: z
    .boolean()
    .optional()
    .meta({ description: 'True: the number in it is no longer kept, as that of its message' }),
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
  from: instant.meta({ description: 'Events not earlier than this' }),
  to: instant.meta({ description: 'Events earlier than this' }),
  state: deliveryState.optional().meta({ description: 'Only those in this state' }),
})
  .check(refuseReversedRange)
  .meta({
    id: 'RedeliverRequest',
    examples: [{ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', state: 'failed' }],
  })

export type RegisterWebhookRequest = z.output<typeof registerWebhookRequest>
export type WebhookAnswer = z.output<typeof webhook>
export type DeliveryState = z.output<typeof deliveryState>
export type DeliveryAnswer = z.output<typeof delivery>
export type DeliveryWithRequest = z.output<typeof deliveryWithRequest>
export type RedeliverRequest = z.output<typeof redeliverRequest>
