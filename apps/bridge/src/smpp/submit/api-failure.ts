import { ApiError, AuthenticationError, RateLimitError, SmsGatewayError, UnavailableError } from '@smsgw/client/errors'
import { SmppError, type StatusName } from '../protocol/command.ts'

/** The status for a wrong member of the request, by the name of the member. */
const MEMBERS: readonly (readonly [member: RegExp, status: StatusName])[] = [
  [/^(phoneNumbers|recipient)/, 'ESME_RINVDSTADR'],
  [/^(textMessage|dataMessage|message)/, 'ESME_RINVMSGLEN'],
  [/^(deviceId|simNumber)/, 'ESME_RINVSRCADR'],
  [/^(validUntil|ttl)/, 'ESME_RINVEXPIRY'],
  [/^scheduleAt/, 'ESME_RINVSCHED'],
]

/**
 * Returns the error for the client. Clients repeat a request after ESME_RSYSERR, ESME_RMSGQFUL and ESME_RTHROTTLED, and
 * give up after other errors.
 */
export function submitFailure(error: unknown): SmppError {
  if (error instanceof SmppError) return error
  if (!(error instanceof SmsGatewayError)) throw error
  return new SmppError(statusOf(error), error.message, { cause: error })
}

function statusOf(error: SmsGatewayError): StatusName {
  if (error instanceof RateLimitError) return 'ESME_RTHROTTLED'
  // The API answers with Retry-After if a queue is full.
  if (error instanceof UnavailableError)
    return error.status === 503 && error.retryAfterSeconds !== undefined ? 'ESME_RMSGQFUL' : 'ESME_RSYSERR'
  if (!(error instanceof ApiError)) return 'ESME_RSYSERR'
  if (error instanceof AuthenticationError || error.status === 408) return 'ESME_RSYSERR'
  if (error.status === 413) return 'ESME_RINVMSGLEN'
  const path = error.errors[0]?.path ?? ''
  return MEMBERS.find(([member]) => member.test(path))?.[1] ?? 'ESME_RSUBMITFAIL'
}

/** Returns the error for a query_sm or cancel_sm. */
export function lookUpFailure(error: unknown, refusal: StatusName): SmppError {
  if (!(error instanceof ApiError) || error instanceof UnavailableError || error instanceof RateLimitError)
    return submitFailure(error)
  return new SmppError(error.status === 404 ? 'ESME_RINVMSGID' : refusal, error.message, { cause: error })
}
