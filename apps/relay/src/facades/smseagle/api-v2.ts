import { z } from 'zod'
import type { Endpoint } from '../../http/endpoint.ts'
import { checked } from '../../http/errors/validation-error.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import type { AcceptRequest } from '../../messages/accept/accept-request.ts'
import { sendFacadeText } from '../send-text.ts'
import { problemHeader } from './answer-error.ts'
import { secondsOf, simSlot } from './sms-parameters.ts'

const none = z.undefined({ error: 'is not supported: leave it out' }).optional()
const empty = z.array(z.unknown()).max(0, 'must be empty: list all phone numbers in "to"').optional()

const body = z.object({
  to: z.array(z.union([z.string(), z.int().transform(String)])),
  text: z.string(),
  priority: z.coerce.number().int().min(0).max(9).optional(),
  validity: z.string().optional(),
  modem_no: z.union([z.string(), z.int()]).transform(String).optional(),
  date: none,
  send_after: none,
  send_before: none,
  contacts: empty,
  groups: empty,
})

const queued = z.array(
  z.object({ status: z.literal('queued'), number: z.string(), message: z.string(), id: z.string() }),
)
const failure = z.object({ message: z.string() })

/** `POST /api/v2/messages/sms` of SMSEagle's API v2, as Uptime Kuma calls it. */
export function sendSmsV2(accept: AcceptRequest): Endpoint {
  return facadeEndpoint({
    bodies: ['json'],
    answers: { 200: queued, ...Object.fromEntries(ERRORS.map((status) => [status, failure])) },
    credentials({ headers }) {
      const token = headers['access-token']
      return typeof token === 'string' ? { key: token } : undefined
    },
    async handle({ principal, body: { json }, headers }) {
      const { to, text, priority, validity, modem_no: modem } = checked(body, json, 'body')
      const { message } = await sendFacadeText(accept, {
        principal,
        phoneNumbers: to,
        text,
        priority,
        simNumber: simSlot(modem),
        ttlSeconds: secondsOf(validity),
        idempotencyKey: headers['idempotency-key'],
      })
      const entries = message.recipients.map(({ phoneNumber: number }) => ({
        status: 'queued',
        number,
        message: 'OK',
        id: message.id,
      }))
      return { status: 200, body: entries }
    },
    refuse: (error) => ({ status: error.status, body: { message: error.message }, headers: problemHeader(error) }),
  })
}

const ERRORS = [400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503]
