import type { RequestReason } from '@smsgw/contract/fields/problem-reason'
import { ApiError } from '../http/errors/api-error.ts'

const BASIC = 'Basic realm="smsgw", charset="UTF-8"'
/** A challenge for which browsers open no login dialog. */
export const BEARER = 'Bearer realm="smsgw"'

/** The `WWW-Authenticate` challenges (RFC 9110) by the credentials that the endpoint accepts. */
const challenges = {
  password: BASIC,
  session: BEARER,
  key: BEARER,
  token: `${BEARER}, error="invalid_token"`,
  'password or token': `${BASIC}, ${BEARER}`,
} as const

export function unauthorised(expected: keyof typeof challenges, message: string, reason?: RequestReason): ApiError {
  return new ApiError(401, message, {
    ...(reason && { reason }),
    headers: { 'WWW-Authenticate': challenges[expected] },
  })
}
