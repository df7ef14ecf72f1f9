import type { Authenticate, Caller } from '../http/caller.ts'
import type { Principal } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { type HeaderCredentials, readAuthorization } from './authorization-header.ts'
import type { KeyLogin } from './keys/key-login.ts'
import { isKeyText } from './keys/key-text.ts'
import type { BasicLogin } from './passwords/basic-login.ts'
import { refuseInsecure } from './refuse-insecure.ts'
import { ALL_SCOPES, type SessionLogin } from './sessions/session-login.ts'
import type { BearerLogin } from './tokens/bearer-login.ts'
import { unauthorised } from './unauthorised.ts'

export interface AuthenticateDeps {
  readonly basicLogin: Pick<BasicLogin, 'check'>
  /** Undefined in Local Server mode, which has no tokens. */
  readonly bearerLogin: Pick<BearerLogin, 'check'> | undefined
  readonly keyLogin: Pick<KeyLogin, 'check'>
  readonly sessionLogin: Pick<SessionLogin, 'check'>
  readonly allowInsecureHttp: boolean
}

/**
 * Authenticates with a username and password, with a session, with an access token, or with an API key. Passwords and
 * sessions have all scopes.
 */
export function authenticate({
  basicLogin,
  bearerLogin,
  keyLogin,
  sessionLogin,
  allowInsecureHttp,
}: AuthenticateDeps): Authenticate {
  const expected = bearerLogin ? 'password or token' : 'password'
  async function byKey(key: string, { address }: Caller): Promise<Principal> {
    const principal = await keyLogin.check({ key, address })
    if (!principal) throw unauthorised('key', 'API key invalid, expired or revoked: use a current key')
    return principal
  }
  return async (caller) => {
    const credentials = readCredentials(caller, allowInsecureHttp)
    if (credentials.kind === 'basic') {
      // Refuses a password that a browser may have saved, because a browser adds it to requests from any page. A
      // browser never adds a token by itself.
      if (caller.foreignPage === 'other origin') throw new ApiError(403, FOREIGN_BASIC)
      if (isKeyText(credentials.password)) return await byKey(credentials.password, caller)
      return principalOf(await basicLogin.check({ ...credentials, ...caller }))
    }
    if (credentials.kind === 'session') return bySession(sessionLogin, credentials.token, caller)
    if (credentials.kind === 'key') return await byKey(credentials.key, caller)
    if (credentials.kind === 'bearer') {
      if (isKeyText(credentials.token)) return await byKey(credentials.token, caller)
      if (!bearerLogin)
        throw unauthorised(
          'password',
          'Local Server mode does not accept tokens: use Basic authentication or an API key',
        )
      const login = await bearerLogin.check('access', credentials.token)
      if (!login) throw unauthorised('token', 'Token invalid, expired or revoked: issue a new one')
      return login
    }
    throw unauthorised(expected, whatIsMissing(credentials))
  }
}

/** Authenticates only with a refresh token. */
export function authenticateRefresh({ bearerLogin, allowInsecureHttp }: AuthenticateDeps): Authenticate {
  return async (caller) => {
    const credentials = readCredentials(caller, allowInsecureHttp)
    const login = credentials.kind === 'bearer' ? await bearerLogin?.check('refresh', credentials.token) : undefined
    if (!login)
      throw unauthorised(
        'token',
        'The header Authorization must be Bearer with a valid refresh token: to get a new token, send username and password',
      )
    return login
  }
}

/**
 * Returns the key in the `X-API-Key` header, or otherwise the credentials in the `Authorization` header, even if they
 * are wrong. Without these headers, returns the session.
 */
function readCredentials(
  caller: Caller,
  allowInsecureHttp: boolean,
): HeaderCredentials | KeyCredentials | SessionCredentials {
  const credentials = readAuthorization(caller.authorization)
  const key = caller.apiKey?.trim() ?? ''
  if (credentials.kind === 'none' && key === '' && caller.session === undefined) return credentials
  refuseInsecure(caller, allowInsecureHttp)
  if (key !== '') return { kind: 'key', key }
  if (credentials.kind !== 'none' || caller.session === undefined) return credentials
  return { kind: 'session', token: caller.session }
}

interface KeyCredentials {
  readonly kind: 'key'
  readonly key: string
}

interface SessionCredentials {
  readonly kind: 'session'
  readonly token: string
}

async function bySession(sessionLogin: Pick<SessionLogin, 'check'>, token: string, caller: Caller): Promise<Principal> {
  const principal = await sessionLogin.check(token)
  if (!principal) throw unauthorised('session', 'Session ended: sign in again')
  if (caller.foreignPage === undefined) return principal
  throw new ApiError(403, FOREIGN[caller.foreignPage])
}

const FOREIGN_BASIC =
  'Basic authentication is not accepted from a page on another site (see Origin and Sec-Fetch-Site). Such a page cannot ' +
  'use this API: let the server of the page send the request'

const FOREIGN = {
  'no origin':
    'a request that changes data and uses a session cookie must have the header "Origin": outside a browser, use Basic or Bearer authentication',
  'other origin':
    'the header "Origin" or "Sec-Fetch-Site" contains another site: a request that changes data and uses a session cookie must come from a page on this server',
} as const

function principalOf(login: Awaited<ReturnType<BasicLogin['check']>>): Principal {
  if (!login) throw unauthorised('password', 'Wrong username or password')
  return { ...login, scopes: ALL_SCOPES }
}

function whatIsMissing(credentials: Exclude<HeaderCredentials, { kind: 'basic' | 'bearer' }>): string {
  if (credentials.kind === 'none')
    return 'Credentials required: send the header Authorization with Basic or Bearer, or X-API-Key'
  return 'The header Authorization is malformed: send Basic with username and password, or Bearer with a token or an API key'
}
