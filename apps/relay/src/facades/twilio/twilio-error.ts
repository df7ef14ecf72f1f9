import { z } from 'zod'
import type { Answer } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'

/** Codes of Twilio's error dictionary that this interface uses. */
export type TwilioCode =
  | 20001 // invalid parameter
  | 20003 // authentication failed, or permission missing
  | 20006 // page out of range
  | 20009 // message cannot be deleted or redacted before it has ended
  | 20404 // not found
  | 20429 // too many requests
  | 20500 // internal error
  | 20503 // service unavailable
  | 21211 // `To` is not a phone number
  | 21408 // sending to this number is not permitted
  | 21602 // `Body` missing
  | 21603 // `From` missing
  | 21604 // `To` missing
  | 21606 // `From` cannot send
  | 21609 // `StatusCallback` is not accepted
  | 21611 // queue full
  | 21617 // text too long
  | 21622 // MMS not enabled
  | 21701 // unknown messaging service
  | 30409 // message cannot be cancelled
  | 35114 // `SendAt` not supported

/** An error with a code of Twilio's dictionary. */
export class TwilioError extends ApiError {
  readonly code: TwilioCode

  constructor(
    status: number,
    code: TwilioCode,
    message: string,
    more: { readonly headers?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    super(status, message, more)
    this.code = code
  }
}

const errorResource = z.strictObject({ code: z.int(), message: z.string(), more_info: z.string(), status: z.int() })

const ERROR_STATUSES = [400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 429, 500, 503]

/** The refusals that every endpoint of Twilio's interface may answer with. */
export const errorAnswers = Object.fromEntries(ERROR_STATUSES.map((status) => [status, errorResource]))

/** Returns an error in the form of Twilio's interface. */
export function refuseAsTwilio(error: ApiError): Answer {
  const code = error instanceof TwilioError ? error.code : codeOf(error.status)
  const { status, message, errors, headers } = error
  const [first] = errors ?? []
  const detail = first === undefined ? message : `${message}: ${first.path} ${first.message}`
  const body = { code, message: detail, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
  return { status, body, headers }
}

function codeOf(status: number): TwilioCode {
  switch (status) {
    case 401:
    case 403:
      return 20003
    case 404:
      return 20404
    case 429:
      return 20429
    case 503:
      return 20503
    default:
      return status >= 500 ? 20500 : 20001
  }
}

export function notFound(url: string): TwilioError {
  return new TwilioError(404, 20404, `The requested resource ${url.split('?', 1)[0]} was not found`)
}

/** Converts the reason why a message was not accepted to an error of Twilio. */
export function sendingRefusal(error: ApiError, to: string): TwilioError {
  const { status, message, errors = [], reason, headers } = error
  const more = { headers, cause: error }
  const [{ path, message: problem } = { path: '', message }] = errors
  const text = errors.length === 0 ? message : problem
  if (reason === 'key_recipient_limit') return new TwilioError(status, 21408, message, more)
  if (reason === 'key_sim_limit') return new TwilioError(status, 21606, message, more)
  if (path.startsWith('phoneNumbers'))
    return new TwilioError(400, 21211, `The 'To' number ${to} is not a valid phone number: ${text}`, more)
  if (path.startsWith('textMessage')) return new TwilioError(400, 21617, `The message body ${text}`, more)
  if (path === 'scheduleAt') return new TwilioError(400, 35114, `SendAt ${text}`, more)
  if (path === 'ttl' || path === 'validUntil') return new TwilioError(400, 20001, `ValidityPeriod ${text}`, more)
  if (path === 'deviceId' || path === 'simNumber') return new TwilioError(400, 21606, `The sender ${text}`, more)
  if (status === 503) return new TwilioError(429, 21611, message, more)
  return new TwilioError(status, codeOf(status), message, more)
}
