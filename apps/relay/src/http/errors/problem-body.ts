import { STATUS_CODES } from 'node:http'
import type { Problem } from '@smsgw/contract/fields/problem'
import type { ApiError, FieldError } from './api-error.ts'

export function problemBody({ status, message, errors, reason, values }: ApiError, requestId: string): Problem {
  return {
    code: status,
    message,
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    ...(reason && { reason }),
    ...(values && { values }),
    requestId,
    ...(errors && { errors: errors.map(fieldProblem) }),
  }
}

function fieldProblem({
  path,
  reason = 'invalid',
  values,
  message,
}: FieldError): NonNullable<Problem['errors']>[number] {
  return { path, reason, ...(values && Object.keys(values).length > 0 && { values }), message }
}

/** Returns the media type of RFC 9457 if the caller accepts it, otherwise plain JSON, which older clients expect. */
export function problemMediaType(accept: string | undefined): string {
  return accept !== undefined && /\bapplication\/problem\+json\b/i.test(accept)
    ? 'application/problem+json'
    : 'application/json; charset=utf-8'
}
