import ipaddr from 'ipaddr.js'
import { ApiError } from '../http/api-error.ts'
import type { Authenticate, Caller } from '../http/caller.ts'
import type { Principal } from '../http/endpoint.ts'
import { type Credentials, readAuthorization } from './authorization-header.ts'
import type { BasicLogin } from './basic-login.ts'
import type { BearerLogin } from './bearer-login.ts'
import { unauthorised } from './unauthorised.ts'

export interface AuthenticateNeeds {
  readonly basicLogin: Pick<BasicLogin, 'check'>
  /** Undefined in Local Server mode: there are no tokens. */
  readonly bearerLogin: Pick<BearerLogin, 'check'> | undefined
  readonly allowInsecureHttp: boolean
}

/** By user name and password, which allow everything, or by an access token. */
export function authenticate({ basicLogin, bearerLogin, allowInsecureHttp }: AuthenticateNeeds): Authenticate {
  const expected = bearerLogin ? 'password or token' : 'password'
  return async (caller) => {
    const credentials = readCredentials(caller, allowInsecureHttp)
    if (credentials.kind === 'basic') return principalOf(await basicLogin.check({ ...credentials, ...caller }))
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

/** What is sent in the clear over a network is everybody's: it is not taken, so that nobody gets used to it. */
function readCredentials({ authorization, address, isSecure }: Caller, allowInsecureHttp: boolean): Credentials {
  const credentials = readAuthorization(authorization)
  if (credentials.kind === 'none' || isSecure || allowInsecureHttp || isLoopback(address)) return credentials
  throw new ApiError(
    403,
    'credentials are not taken over plain HTTP: use HTTPS, or list the proxy that ends it in TRUSTED_PROXIES; ALLOW_INSECURE_HTTP=1 takes them for development',
  )
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

function principalOf(login: Awaited<ReturnType<BasicLogin['check']>>): Principal {
  if (!login) throw unauthorised('password', 'wrong user name or password')
  return { ...login, scopes: EVERYTHING }
}

const EVERYTHING: Principal['scopes'] = new Set(['all:any'] as const)

function whatIsMissing(credentials: Exclude<Credentials, { kind: 'basic' | 'bearer' }>): string {
  if (credentials.kind === 'none') return 'credentials are needed: the header Authorization with Basic or Bearer'
  return `the header Authorization cannot be read: expected Basic with user name and password, or Bearer with a token`
}
