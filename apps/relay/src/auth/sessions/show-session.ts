import { sessionInfo } from '@smsgw/contract/session'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { sessionCookie } from './session-cookie.ts'
import { type SessionFacts, sessionInfoOf } from './session-info.ts'
import { SESSION_SECONDS, type SessionLogin } from './session-login.ts'

interface ShowSessionDeps extends SessionFacts {
  readonly sessionLogin: Pick<SessionLogin, 'prolong'>
}

/** Returns the calling account and its scopes, and extends the session of a browser. */
export function showSession(deps: ShowSessionDeps): Endpoint {
  return endpoint({
    answers: { 200: sessionInfo },
    async handle({ principal, isSecure }) {
      const { accountId, session } = principal
      const body = sessionInfoOf(deps, principal)
      if (session === undefined) return { status: 200, body }
      await deps.sessionLogin.prolong(accountId, session)
      const cookie = sessionCookie(session, { maxAgeSeconds: SESSION_SECONDS, isSecure })
      return { status: 200, body, headers: { 'Set-Cookie': cookie } }
    },
  })
}
