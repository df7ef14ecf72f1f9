import { ApiError } from '../http/api-error.ts'
import type { Authenticate, Caller } from '../http/caller.ts'
import type { Principal } from '../http/endpoint.ts'
import { type Credentials, readAuthorization } from './authorization-header.ts'
import type { BasicLogin } from './basic-login.ts'
import type { BearerLogin } from './bearer-login.ts'
import { refuseInsecure } from './refuse-insecure.ts'
import type { SessionLogin } from './sessions/session-login.ts'
import { unauthorised } from './unauthorised.ts'

export interface AuthenticateNeeds {
  readonly basicLogin: Pick<BasicLogin, 'check'>
  /** Undefined in Local Server mode: there are no tokens. */
  readonly bearerLogin: Pick<BearerLogin, 'check'> | undefined
  readonly sessionLogin: Pick<SessionLogin, 'check'>
  readonly allowInsecureHttp: boolean
}

/** By user name and password or by a session, which allow everything, or by an access token. */
export function authenticate({
  basicLogin,
  bearerLogin,
  sessionLogin,
  allowInsecureHttp,
}: AuthenticateNeeds): Authenticate {
  const expected = bearerLogin ? 'password or token' : 'password'
  return async (caller) => {
    const credentials = readCredentials(caller, allowInsecureHttp)
    if (credentials.kind === 'basic') return principalOf(await basicLogin.check({ ...credentials, ...caller }))
    if (credentials.kind === 'session') return bySession(sessionLogin, credentials.token, caller)
    if (credentials.kind === 'bearer') {
      if (!bearerLogin) throw unauthorised('password', 'Local Server mode takes no tokens: use Basic authentication')
      const login = await bearerLogin.check('access', credentials.token)
      if (!login) throw unauthorised('token', 'this token is not valid, or not any more; ask for a new one')
      return login
    }
    throw unauthorised(expected, whatIsMissing(credentials))
  }
}

/** By a refresh token, and nothing else. */
export function authenticateRefresh({ bearerLogin, allowInsecureHttp }: AuthenticateNeeds): Authenticate {
  return async (caller) => {
    const credentials = readCredentials(caller, allowInsecureHttp)
    const login = credentials.kind === 'bearer' ? await bearerLogin?.check('refresh', credentials.token) : undefined
    if (!login)
      throw unauthorised('token', 'a valid refresh token is needed as bearer; ask for a new pair with the password')
    return login
  }
}

/** An `Authorization` is obeyed, right or wrong; without one the session of a browser counts. */
function readCredentials(caller: Caller, allowInsecureHttp: boolean): Credentials | SessionCredentials {
  const credentials = readAuthorization(caller.authorization)
  if (credentials.kind === 'none' && caller.session === undefined) return credentials
  refuseInsecure(caller, allowInsecureHttp)
  if (credentials.kind !== 'none' || caller.session === undefined) return credentials
  return { kind: 'session', token: caller.session }
}

interface SessionCredentials {
  readonly kind: 'session'
  readonly token: string
}

async function bySession(sessionLogin: Pick<SessionLogin, 'check'>, token: string, caller: Caller): Promise<Principal> {
  const principal = await sessionLogin.check(token)
  if (!principal) throw unauthorised('session', 'the session has ended: sign in again')
  if (caller.foreignPage === undefined) return principal
  throw new ApiError(403, FOREIGN[caller.foreignPage])
}

const FOREIGN = {
  'no origin': 'a session changes nothing without the header Origin: outside of a browser use Basic or Bearer',
  'other origin': 'the header Origin names another site than this one: a session changes things from its own page only',
} as const

function principalOf(login: Awaited<ReturnType<BasicLogin['check']>>): Principal {
  if (!login) throw unauthorised('password', 'wrong user name or password')
  return { ...login, scopes: EVERYTHING }
}

const EVERYTHING: Principal['scopes'] = new Set(['all:any'] as const)

function whatIsMissing(credentials: Exclude<Credentials, { kind: 'basic' | 'bearer' }>): string {
  if (credentials.kind === 'none') return 'credentials are needed: the header Authorization with Basic or Bearer'
  return `the header Authorization cannot be read: expected Basic with user name and password, or Bearer with a token`
}
