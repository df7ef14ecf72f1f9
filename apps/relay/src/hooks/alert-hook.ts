import { createHash } from 'node:crypto'
import { resourceId } from '@smsgw/contract/fields/ids'
import { queryBoolean, queryInteger, requestQuery } from '@smsgw/contract/fields/request-query'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { numbersInParameter } from '../facades/numbers-in.ts'
import { sendFacadeText } from '../facades/send-text.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { fieldError } from '../http/errors/validation-error.ts'
import type { AcceptRequest } from '../messages/accept/accept-request.ts'
import type { AlertNotification } from './alert-notification.ts'
import { shortenText } from './shorten-text.ts'
import { DEFAULT_TEMPLATE, renderTemplate } from './text-template.ts'

export interface AlertHookDeps {
  readonly accept: AcceptRequest
  readonly clock: Clock
  /** The largest number of parts of a message. */
  readonly maxSegments: number
}

const query = requestQuery({
  to: z
    .string()
    .max(8_192)
    .optional()
    .meta({
      description:
        'Recipients, separated by commas. Default: the recipients to which the API key is limited, if they are numbers without `*`',
      examples: ['+447400123456'],
    }),
  template: z.string().max(1_000).default(DEFAULT_TEMPLATE).meta({
    description:
      'Text of the SMS with the placeholders `{status}`, `{count}`, `{alerts}`, `{url}`, `{label.<name>}` and `{annotation.<name>}`',
    default: DEFAULT_TEMPLATE,
  }),
  parts: queryInteger(1, 10)
    .default(3)
    .meta({ description: 'Longer texts are shortened to this number of parts', default: 3 }),
  resolved: queryBoolean
    .default(true)
    .meta({ description: 'With false, no SMS is sent when all alerts of a group are resolved', default: true }),
  remindHours: queryInteger(1, 168).optional().meta({
    description:
      'If the same notification arrives again after this number of hours, another SMS is sent as a reminder. Default: never',
  }),
})

const answer = z
  .strictObject({
    result: z.enum(['accepted', 'repeated', 'ignored']).meta({
      description:
        '`repeated`: an SMS about these alerts was already accepted. `ignored`: all alerts are resolved, and the query parameter `resolved` is false. In both cases, no SMS is sent',
    }),
    messageId: resourceId.optional(),
  })
  .meta({ id: 'AlertHookResult' })

/**
 * Sends one SMS for a group of alerts. A retry does not send a second SMS. If a second instance of the sender reports
 * the same group, it does not send a second SMS either. The idempotency key is derived from the group, its status, the
 * start times of its alerts, and the recipients.
 */
export function alertHook<Notification extends z.ZodType<AlertNotification>>(
  notification: Notification,
  { accept, clock, maxSegments }: AlertHookDeps,
): Endpoint {
  return endpoint({
    body: notification,
    query,
    answers: { 200: answer },
    errors: [409, 422, 429, 503],
    async handle({ principal, body, query }) {
      if (body.status === 'resolved' && !query.resolved) return { status: 200, body: { result: 'ignored' } }
      const phoneNumbers = recipientsOf(query.to, principal)
      const identity = identityOf(body, phoneNumbers, reminderOf(body, query.remindHours, clock.now()))
      const { message, isRepeated } = await sendFacadeText(accept, {
        principal,
        phoneNumbers,
        text: shortenText(renderTemplate(query.template, body), Math.min(query.parts, maxSegments)),
        idempotencyKey: `alert:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`,
        // The annotations of two instances may differ, for example in a measured value.
        identity,
      })
      return { status: 200, body: { result: isRepeated ? 'repeated' : 'accepted', messageId: message.id } }
    },
  })
}

function recipientsOf(to: string | undefined, { key }: Principal): readonly string[] {
  if (to !== undefined) return numbersInParameter(to)
  const limited = key?.limits.recipients ?? []
  if (limited.length > 0 && !limited.some((number) => number.endsWith('*'))) return limited
  const message = 'is required: add ?to=%2B447400123456 to the address, or limit the API key to the recipients'
  throw fieldError('to', message, 'query')
}

/**
 * Returns the content that identifies a message. Of two notifications with the same content, only one sends a message.
 */
function identityOf(
  { groupKey, status, alerts }: AlertNotification,
  phoneNumbers: readonly string[],
  reminder: number,
): readonly unknown[] {
  const starts = [...new Set(alerts.map(({ startsAt }) => Date.parse(startsAt)))].sort((a, b) => a - b)
  return [groupKey, status, starts, [...phoneNumbers].sort(), reminder]
}

/** Returns the number of the reminder, counted from the start of the newest alert. 0 is the first notification. */
function reminderOf({ alerts }: AlertNotification, everyHours: number | undefined, now: Date): number {
  if (everyHours === undefined) return 0
  const newestMs = Math.max(...alerts.map(({ startsAt }) => Date.parse(startsAt)))
  return Math.max(0, Math.floor((now.getTime() - newestMs) / (everyHours * 3_600_000)))
}
