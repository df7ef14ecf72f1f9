import { z } from 'zod'
import type { Endpoint } from '../http/endpoint.ts'
import { checked } from '../http/errors/validation-error.ts'
import { facadeEndpoint } from '../http/facade/facade-endpoint.ts'
import type { AcceptRequest } from '../messages/accept/accept-request.ts'
import { sendFacadeText } from './send-text.ts'

const body = z.object({ to: z.string(), body: z.string() })
const accepted = z.object({ id: z.string(), status: z.literal('queued') })
const failure = z.object({ error: z.string() })

/** `POST /api/v1/sms/send` with `to` and `body`: the smallest interface that alerting programs can use. */
export function sendPlain(accept: AcceptRequest): Endpoint {
  return facadeEndpoint({
    bodies: ['json', 'form'],
    answers: { 202: accepted, ...Object.fromEntries(ERRORS.map((status) => [status, failure])) },
    async handle({ principal, body: request, headers }) {
      const { to, body: text } = checked(body, request.json ?? request.form, 'body')
      const requested = { principal, phoneNumbers: [to], text, idempotencyKey: headers['idempotency-key'] }
      const { message } = await sendFacadeText(accept, requested)
      return { status: 202, body: { id: message.id, status: 'queued' } }
    },
    refuse: (error) => ({ status: error.status, body: { error: error.message } }),
  })
}

const ERRORS = [400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503]
