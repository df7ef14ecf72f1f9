import { z } from 'zod'
import type { Endpoint } from '../http/endpoint.ts'
import { checked } from '../http/errors/validation-error.ts'
import { facadeEndpoint } from '../http/facade/facade-endpoint.ts'
import { type Route, rootRoute } from '../http/route.ts'
import type { AcceptRequest } from '../messages/accept/accept-request.ts'
import { type KannelDeps, sendSmsAsKannel } from './kannel/send-sms.ts'
import { sendFacadeText } from './send-text.ts'
import { sendSmsV2 } from './smseagle/api-v2.ts'
import { callJsonRpc } from './smseagle/json-rpc.ts'
import { sendSms } from './smseagle/send-sms.ts'

/** The routes with interfaces of other products. They are at the root of the server, where programs expect them. */
export function facadeRoutes(deps: KannelDeps): Route[] {
  const { accept } = deps
  const smseagle = sendSms(accept)
  const jsonRpc = callJsonRpc(accept)
  return [
    rootRoute('POST', '/api/v1/sms/send', 'messages:send', 'Send a text to one number', sendPlain(accept)),
    rootRoute('GET', '/cgi-bin/sendsms', 'messages:send', 'Send as Kannel does', sendSmsAsKannel(deps)),
    ...['', '/index.php'].flatMap((start) => [
      rootRoute('GET', `${start}/http_api/send_sms`, 'messages:send', 'Send as SMSEagle does', smseagle),
      rootRoute('POST', `${start}/http_api/send_sms`, 'messages:send', 'Send as SMSEagle does', smseagle),
      rootRoute('POST', `${start}/jsonrpc/sms`, 'messages:send', 'Send as SMSEagle does', jsonRpc),
    ]),
    rootRoute('POST', '/api/v2/messages/sms', 'messages:send', 'Send as SMSEagle does', sendSmsV2(accept)),
  ]
}

const body = z.object({ to: z.string(), body: z.string() })
const accepted = z.object({ id: z.string(), status: z.literal('queued') })
const failure = z.object({ error: z.string() })

/** `POST /api/v1/sms/send` with `to` and `body`: the smallest interface that alerting programs can use. */
function sendPlain(accept: AcceptRequest): Endpoint {
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
