import { type SessionInfo, sessionInfo, sessionRequest } from '@smsgw/contract/access/session'
import { accountSid } from '../../facades/twilio/sid.ts'
import { type Endpoint, endpoint, type Principal } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import type { BasicLogin } from '../passwords/basic-login.ts'
import { refuseInsecure } from '../refuse-insecure.ts'
import { unauthorised } from '../unauthorised.ts'
import { sessionCookie } from './session-cookie.ts'
import { ALL_SCOPES, SESSION_SECONDS, type SessionLogin } from './session-login.ts'

interface SessionDeps {
  readonly basicLogin: Pick<BasicLogin, 'check'>
  readonly sessionLogin: Pick<SessionLogin, 'begin' | 'prolong' | 'end'>
  readonly hints: { accessChanged(accountId: string): void }
  readonly allowInsecureHttp: boolean
  readonly isLocal: boolean
  readonly version: string
  readonly hasVirtualPhone: boolean
}

/** Signs in a browser with a username and password, with the same throttle as Basic authentication. */
export function startSession(deps: SessionDeps): Endpoint {
  return endpoint({
    body: sessionRequest,
    answers: { 200: sessionInfo },
    errors: [401, 403, 429],
    answerHeaders: { 'Set-Cookie': 'The session' },
    async handle({ body, address, isSecure, foreignPage }) {
      // A page on another site must not sign its visitor in to an account of an attacker.
      if (foreignPage === 'other origin')
        throw new ApiError(403, 'The request comes from a page on another site: sign in from a page on this server')
      refuseInsecure({ address, isSecure }, deps.allowInsecureHttp)
      const login = await deps.basicLogin.check({ ...body, address })
      if (!login) throw unauthorised('session', 'Wrong username or password', 'wrong_credentials')
      const cookie = sessionCookie(await deps.sessionLogin.begin(login), { maxAgeSeconds: SESSION_SECONDS, isSecure })
      const info = sessionInfoOf(deps, { ...login, scopes: ALL_SCOPES })
      return { status: 200, body: info, headers: { 'Set-Cookie': cookie } }
    },
  })
}

/** Returns the calling account and its scopes, and extends the session of a browser. */
export function showSession(deps: SessionDeps): Endpoint {
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

/** Signs out a browser. Within two seconds, every relay refuses the session. */
export function endSession({ sessionLogin, hints }: SessionDeps): Endpoint {
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

function sessionInfoOf(
  { isLocal, version, hasVirtualPhone }: SessionDeps,
  { accountId, username, scopes }: Pick<Principal, 'accountId' | 'username' | 'scopes'>,
): SessionInfo {
  const mode = isLocal ? 'local' : 'cloud'
  const twilioAccountSid = accountSid(accountId)
  return { username, mode, version, scopes: [...scopes], twilioAccountSid, hasVirtualPhone }
}
