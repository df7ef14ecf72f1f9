import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { sessionCookie } from './session-cookie.ts'
import type { SessionLogin } from './session-login.ts'

interface EndSessionDeps {
  readonly sessionLogin: Pick<SessionLogin, 'end'>
  readonly hints: { accessChanged(accountId: string): void }
}

/** Signs out a browser, on every replica within two seconds. */
export function endSession({ sessionLogin, hints }: EndSessionDeps): Endpoint {
  return endpoint({
    answers: { 204: null },
    answerHeaders: { 'Set-Cookie': 'Deletes the session' },
    async handle({ principal: { accountId, session }, isSecure }) {
      if (session !== undefined) {
        await sessionLogin.end(accountId, session)
        hints.accessChanged(accountId)
      }
      return { status: 204, headers: { 'Set-Cookie': sessionCookie('', { maxAgeSeconds: 0, isSecure }) } }
    },
  })
}
