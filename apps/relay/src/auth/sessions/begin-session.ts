import { sessionInfo, sessionRequest } from '@smsgw/contract/session'
import { ApiError } from '../../http/api-error.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { BasicLogin } from '../basic-login.ts'
import { refuseInsecure } from '../refuse-insecure.ts'
import { unauthorised } from '../unauthorised.ts'
import { sessionCookie } from './session-cookie.ts'
import { type SessionFacts, sessionInfoOf } from './session-info.ts'
import { SESSION_SECONDS, type SessionLogin } from './session-login.ts'

export interface BeginSessionDeps extends SessionFacts {
  readonly basicLogin: Pick<BasicLogin, 'check'>
  readonly sessionLogin: Pick<SessionLogin, 'begin'>
  readonly allowInsecureHttp: boolean
}

/** Signs in a browser with the password of Basic authentication and the same throttle. */
export function beginSession(deps: BeginSessionDeps): Endpoint {
  return endpoint({
    body: sessionRequest,
    answers: { 200: sessionInfo },
    errors: [401, 403, 429],
    answerHeaders: { 'Set-Cookie': 'The session' },
    async handle({ body, address, isSecure, foreignPage }) {
      // A page of another site must not sign in its visitor to the attacker's account.
      if (foreignPage === 'other origin')
        throw new ApiError(403, 'the request comes from a page of another site: sign in from a page of this server')
      refuseInsecure({ address, isSecure }, deps.allowInsecureHttp)
      const login = await deps.basicLogin.check({ ...body, address })
      if (!login) throw unauthorised('session', 'wrong user name or password')
      const cookie = sessionCookie(await deps.sessionLogin.begin(login), { maxAgeSeconds: SESSION_SECONDS, isSecure })
      const info = sessionInfoOf(deps, { username: login.username, scopes: new Set(['all:any']) })
      return { status: 200, body: info, headers: { 'Set-Cookie': cookie } }
    },
  })
}
