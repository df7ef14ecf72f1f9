import { z } from 'zod'
import type { Answer, Endpoint } from '../../http/endpoint.ts'
import type { ApiError } from '../../http/errors/api-error.ts'
import type { FacadeRequest } from '../../http/facade/facade.ts'
import { facadeEndpoint } from '../../http/facade/facade-endpoint.ts'
import type { AcceptRequest } from '../../messages/accept/accept-request.ts'
import { escapeMarkup } from '../escape-markup.ts'
import { sendFacadeText } from '../send-text.ts'
import { singleParameters } from '../single-parameters.ts'
import { problemHeader, shownError } from './answer-error.ts'
import { credentialsOf, loginFailure, type ReadParameter, smsOf } from './sms-parameters.ts'

const text = z.string()

/** `http_api/send_sms` of SMSEagle's API v1: parameters in the query or a form, answers as text or XML. */
export function sendSms(accept: AcceptRequest): Endpoint {
  return facadeEndpoint({
    bodies: ['form'],
    mediaType: 'text/plain; charset=utf-8',
    answers: {
      200: text,
      403: text,
      404: text,
      408: text,
      409: text,
      413: text,
      415: text,
      422: text,
      429: text,
      500: text,
      503: text,
    },
    credentials: (request) => credentialsOf(readerOf(request)),
    async handle({ principal, body: request, headers }) {
      const parameters = singleParameters(request.query, request.form)
      const { message } = await sendFacadeText(
        accept,
        smsOf((name) => parameters.get(name), { principal, headers }),
      )
      const shown = isXml(request) ? xml({ message_id: message.id, status: 'ok' }) : `OK; ID=${message.id}`
      return answer(200, shown, request)
    },
    refuse: (error, request) => refusalAnswer(error, request),
  })
}

function refusalAnswer(error: ApiError, request: FacadeRequest): Answer {
  const { status, text: short } = shownError(error, loginFailure(readerOf(request)))
  const shown = isXml(request) ? xml({ error_text: short, status: 'error' }) : short
  const { headers, ...rest } = answer(status, shown, request)
  return { ...rest, headers: { ...headers, ...problemHeader(error) } }
}

function answer(status: number, body: string, request: FacadeRequest): Answer {
  return { status, body, headers: isXml(request) ? { 'content-type': 'text/xml; charset=utf-8' } : {} }
}

function isXml(request: FacadeRequest): boolean {
  return readerOf(request)('responsetype') === 'xml'
}

/** Reads the first value of a parameter. */
function readerOf({ query, form }: FacadeRequest): ReadParameter {
  return (name) => [query[name], form[name]].flat().find((value) => value !== undefined)
}

function xml(members: Readonly<Record<string, string>>): string {
  const lines = Object.entries(members).map(([name, value]) => `<${name}>${escapeMarkup(value)}</${name}>\n`)
  return `<xml>\n${lines.join('')}</xml>`
}
