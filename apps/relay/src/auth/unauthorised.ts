import { ApiError } from '../http/api-error.ts'

const BASIC = 'Basic realm="smsgw", charset="UTF-8"'
/** Asks for nothing that a browser would open a window for. */
export const BEARER = 'Bearer realm="smsgw"'

/** What a caller is told to try: as the challenge of RFC 9110. */
const challenges = {
  password: BASIC,
  session: BEARER,
  token: `${BEARER}, error="invalid_token"`,
  'password or token': `${BASIC}, ${BEARER}`,
} as const

export function unauthorised(expected: keyof typeof challenges, message: string): ApiError {
  return new ApiError(401, message, { headers: { 'WWW-Authenticate': challenges[expected] } })
}
