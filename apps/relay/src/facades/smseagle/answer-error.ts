import type { ApiError } from '../../http/api-error.ts'

interface ShownError {
  readonly status: number
  readonly text: string
}

/**
 * Returns how SMSEagle's API v1 shows an error. A wrong login and wrong parameters have the status 200 and the exact text of the
 * original, because programs compare the text. Errors that the original does not have keep their status and text.
 */
export function statusOf({ status, message }: ApiError, loginFailure: string): ShownError {
  if (status === 401) return { status: 200, text: loginFailure }
  if (status === 400) return { status: 200, text: 'Wrong parameters' }
  return { status, text: message }
}

/** The reason for an error whose text is fixed by the interface. Header values are ASCII. */
export function problemHeader({ message }: ApiError): Readonly<Record<string, string>> {
  return { 'X-Problem': message.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) }
}
