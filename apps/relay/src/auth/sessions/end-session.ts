import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { sessionCookie } from './session-cookie.ts'
import type { SessionLogin } from './session-login.ts'

interface EndSessionNeeds {
  readonly sessionLogin: Pick<SessionLogin, 'end'>
}

/** Signs a browser out, on every replica within two seconds. */
export function endSession({ sessionLogin }: EndSessionNeeds): Endpoint {
  return endpoint({
    answers: { 204: null },
    async handle({ principal: { accountId, session }, isSecure }) {
      if (session !== undefined) await sessionLogin.end(accountId, session)
      return { status: 204, headers: { 'Set-Cookie': sessionCookie('', { maxAgeSeconds: 0, isSecure }) } }
    },
  })
}
