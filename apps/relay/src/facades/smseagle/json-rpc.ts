import { z } from 'zod'
import type { Endpoint } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { checked } from '../../http/errors/validation-error.ts'
import type { FacadeRequest } from '../../http/facade/facade.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import type { AcceptRequest } from '../../messages/accept/accept-request.ts'
import { sendFacadeText } from '../send-text.ts'
import { problemHeader, shownError } from './answer-error.ts'
import { credentialsOf, loginFailure, type ReadParameter, smsOf } from './sms-parameters.ts'

const body = z.object({
  method: z.string(),
  params: z.record(z.string(), z.unknown()),
})
const answer = z.object({ result: z.unknown() })

/** `jsonrpc/sms` of SMSEagle's API v1 with the method `sms.send_sms`, as Apprise calls it. */
export function callJsonRpc(accept: AcceptRequest): Endpoint {
  return facadeEndpoint({
    bodies: ['json'],
    answers: Object.fromEntries(STATUSES.map((status) => [status, answer])),
    credentials: ({ json }) => credentialsOf(readerOf(json)),
    async handle({ principal, body: { json }, headers }) {
      const { method } = checked(body, json, 'body')
      if (method !== 'sms.send_sms')
        throw new ApiError(400, `Method ${JSON.stringify(method.slice(0, 64))} is not supported: use sms.send_sms`)
      const { message } = await sendFacadeText(accept, smsOf(readerOf(json), { principal, headers }))
      const result = isExtended(json) ? { message_id: message.id, status: 'ok' } : `OK; ID=${message.id}`
      return { status: 200, body: { result } }
    },
    refuse(error, { json }: FacadeRequest) {
      const { status, text } = shownError(error, loginFailure(readerOf(json)))
      const result = isExtended(json) ? { error_text: text, status: 'error' } : text
      return { status, body: { result }, headers: problemHeader(error) }
    },
  })
}

const STATUSES = [200, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503]

function isExtended(json: unknown): boolean {
  return readerOf(json)('responsetype') === 'extended'
}

function readerOf(json: unknown): ReadParameter {
  const { data } = body.safeParse(json)
  return (name) => {
    const value = data && Object.hasOwn(data.params, name) ? data.params[name] : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
}
