import { STATUS_CODES } from 'node:http'
import type { Problem } from '@smsgw/contract/fields/problem'
import type { ApiError } from './api-error.ts'

export function problemBody({ status, message, errors, reason }: ApiError, requestId: string): Problem {
  return {
    code: status,
    message,
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    ...(reason && { reason }),
    requestId,
    ...(errors && { errors: errors.map(({ path, message }) => ({ path, message })) }),
  }
}

/** Returns the media type of RFC 9457 if the caller accepts it, otherwise plain JSON, which older clients expect. */
export function problemMediaType(accept: string | undefined): string {
  return accept !== undefined && /\bapplication\/problem\+json\b/i.test(accept)
    ? 'application/problem+json'
    : 'application/json; charset=utf-8'
}
