// Notifications that browsers show through the push service of their vendor (Web Push, RFC 8030).
import { z } from 'zod'
import { resourceId } from '../fields/ids.ts'
import { nameText } from '../fields/name-text.ts'
import { requestBody } from '../fields/request-body.ts'
import { utcTime } from '../fields/times.ts'
import { pushEvents, pushLanguages } from './push-event.ts'

const events = z
  .array(z.enum(pushEvents))
  .min(1)
  .max(pushEvents.length)
  .transform((named) => pushEvents.filter((event) => named.includes(event)))
  .meta({ description: 'Events that cause notifications' })

const showsText = z.boolean().meta({
  description:
    'Whether notifications of received messages contain the first line of the text. A line that may contain a code is never sent',
})

const language = z.enum(pushLanguages)

const name = nameText(64)
  .min(1)
  .meta({ description: 'Name of the browser', examples: ['Firefox on Linux'] })

/** Base64url of exactly this many bytes. Browsers omit the padding. */
function bytes(count: number) {
  return z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9_-]+={0,2}$/, 'must be base64url')
    .refine((text) => decodedLength(text) === count, `must be ${count} bytes in base64url`)
}

function decodedLength(text: string): number {
  return Math.floor((text.replace(/=+$/, '').length * 3) / 4)
}

/** The key of the browser in the example of RFC 8291. */
const EXAMPLE_KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

export const pushSubscriptionRequest = requestBody({
  endpoint: z
    .string()
    .max(2_048)
    .regex(/^https:\/\//, 'must begin with https://')
    .meta({
      description: 'URL of the push service, from `PushSubscription.endpoint` of the browser',
      examples: ['https://push.example.org/subscriptions/gAAAAAB'],
    }),
  keys: requestBody({
    p256dh: bytes(65).meta({ description: 'Public key of the browser', examples: [EXAMPLE_KEYS.p256dh] }),
    auth: bytes(16).meta({ description: 'Authentication secret of the browser', examples: [EXAMPLE_KEYS.auth] }),
  }).meta({ id: 'PushSubscriptionKeys' }),
  events: events.default([...pushEvents]).meta({ description: 'Events to notify about. Default: everything' }),
  showsText: showsText.default(false),
  language: language.default('en').meta({ description: 'Language of the notifications. Default: en' }),
  name: name.optional(),
}).meta({
  id: 'PushSubscriptionRequest',
  examples: [
    {
      endpoint: 'https://push.example.org/subscriptions/gAAAAAB',
      keys: EXAMPLE_KEYS,
      events: ['message.received'],
    },
  ],
})

/**
 * A subscription as listed. The endpoint and the keys are not shown, because anyone who has them can send to the
 * browser.
 */
export const pushSubscription = z
  .strictObject({
    id: resourceId,
    // Subscriptions of earlier releases may have names that are refused today.
    name: z
      .string()
      .optional()
      .meta({ description: 'Name of the browser', examples: ['Firefox on Linux'] }),
    service: z.string().meta({ description: 'Host of the push service', examples: ['fcm.googleapis.com'] }),
    events: z.array(z.enum(pushEvents)),
    showsText,
    language,
    createdAt: utcTime,
    lastSentAt: utcTime.optional().meta({ description: 'When the push service last accepted a notification' }),
  })
  .meta({ id: 'PushSubscription' })

export const pushKey = z
  .strictObject({
    publicKey: z.string().meta({
      description: 'The `applicationServerKey` with which browsers subscribe: a point of P-256 in base64url (RFC 8292)',
    }),
  })
  .meta({ id: 'PushKey' })

export const pushTestResult = z
  .strictObject({
    isAccepted: z.boolean().meta({ description: 'Whether the push service accepted the notification' }),
    error: z.string().optional().meta({ description: 'Why the push service did not accept the notification' }),
  })
  .meta({ id: 'PushTestResult' })

export type PushSubscriptionAnswer = z.output<typeof pushSubscription>
export type PushTestResult = z.output<typeof pushTestResult>
