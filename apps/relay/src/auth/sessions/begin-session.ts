import { sessionInfo, sessionRequest } from '@smsgw/contract/session'
import { ApiError } from '../../http/api-error.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { BasicLogin } from '../basic-login.ts'
import { refuseInsecure } from '../refuse-insecure.ts'
import { unauthorised } from '../unauthorised.ts'
import { sessionCookie } from './session-cookie.ts'
import { type SessionFacts, sessionInfoOf } from './session-info.ts'
import { SESSION_SECONDS, type SessionLogin } from './session-login.ts'

export interface BeginSessionNeeds extends SessionFacts {
  readonly basicLogin: Pick<BasicLogin, 'check'>
  readonly sessionLogin: Pick<SessionLogin, 'begin'>
  readonly allowInsecureHttp: boolean
}

/** Signs a browser in: the same password as for Basic authentication, the same throttle. */
export function beginSession(needs: BeginSessionNeeds): Endpoint {
  return endpoint({
    body: sessionRequest,
    answers: { 200: sessionInfo },
    errors: [401, 403, 429],
    async handle({ body, address, isSecure, foreignPage }) {
      // Somebody else's page must not sign its reader in to an account of its own.
      if (foreignPage === 'other origin') throw new ApiError(403, 'sign in from the page of this server itself')
      refuseInsecure({ address, isSecure }, needs.allowInsecureHttp)
      const login = await needs.basicLogin.check({ ...body, address })
      if (!login) throw unauthorised('session', 'wrong user name or password')
      const cookie = sessionCookie(await needs.sessionLogin.begin(login), { maxAgeSeconds: SESSION_SECONDS, isSecure })
      const info = sessionInfoOf(needs, { username: login.username, scopes: new Set(['all:any']) })
      return { status: 200, body: info, headers: { 'Set-Cookie': cookie } }
    },
  })
}
