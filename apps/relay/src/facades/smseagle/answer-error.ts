import type { ApiError } from '../../http/errors/api-error.ts'

interface ShownError {
  readonly status: number
  readonly text: string
}

/**
 * Returns an error in the form of SMSEagle's API v1. A wrong login and wrong parameters get the status 200 and the
 * exact text of SMSEagle, because programs compare the text. Errors that SMSEagle does not have keep their status and
 * text.
 */
export function shownError({ status, message }: ApiError, loginFailure: string): ShownError {
  if (status === 401) return { status: 200, text: loginFailure }
  if (status === 400) return { status: 200, text: 'Wrong parameters' }
  return { status, text: message }
}

/**
 * Returns a header with the reason for an error. The text of the error cannot contain the reason, because SMSEagle's
 * API prescribes the text. Header values are ASCII.
 */
export function problemHeader({ message }: ApiError): Readonly<Record<string, string>> {
  return { 'X-Problem': message.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) }
}
