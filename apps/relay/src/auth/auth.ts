import type { Clock } from '../clock.ts'
import type { Authenticate } from '../http/caller.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { authenticate, authenticateRefresh } from './authenticate.ts'
import { BasicLogin } from './basic-login.ts'
import { BearerLogin } from './bearer-login.ts'
import { type ChangeOwnPasswordNeeds, changeOwnPassword } from './change-own-password.ts'
import { issueToken } from './issue-token.ts'
import { listTokens } from './list-tokens.ts'
import { type ObserveLogin, observedLogin } from './login-metrics.ts'
import { publishKeys } from './publish-keys.ts'
import { refreshToken } from './refresh-token.ts'
import { revokeToken } from './revoke-token.ts'
import { beginSession } from './sessions/begin-session.ts'
import { endSession } from './sessions/end-session.ts'
import { SessionLogin } from './sessions/session-login.ts'
import { showSession } from './sessions/show-session.ts'
import { SigningKeys } from './signing-keys.ts'

export interface AuthNeeds extends Pick<ChangeOwnPasswordNeeds, 'onPasswordChanged'> {
  readonly database: Database
  readonly box: SecretBox
  readonly clock: Clock
  readonly random: Random
  readonly logbook: Logbook
  /** Local Server mode has passwords alone. */
  readonly isLocal: boolean
  readonly allowInsecureHttp: boolean
  /** `iss` of tokens. */
  readonly issuer: string
  readonly maxTtlSeconds: number
  readonly refreshTtlSeconds: number
  readonly version: string
  readonly hasVirtualPhone: boolean
  readonly observeLogin: ObserveLogin
}

export interface Auth {
  readonly authenticate: Authenticate
  readonly authenticateRefresh: Authenticate
  readonly issueToken: Endpoint
  readonly refreshToken: Endpoint
  readonly revokeToken: Endpoint
  readonly listTokens: Endpoint
  readonly changeOwnPassword: Endpoint
  readonly publishKeys: Endpoint
  readonly beginSession: Endpoint
  readonly showSession: Endpoint
  readonly endSession: Endpoint
}

/** Who calls, and tokens: the parts of one relay. Before it serves, and then every few hours, `rotateSigningKeys` runs. */
export function buildAuth(needs: AuthNeeds): Auth {
  const signingKeys = new SigningKeys(needs)
  const bearerLogin = new BearerLogin({ ...needs, signingKeys })
  const logins = {
    basicLogin: new BasicLogin(needs),
    sessionLogin: new SessionLogin(needs),
    bearerLogin: needs.isLocal ? undefined : bearerLogin,
    allowInsecureHttp: needs.allowInsecureHttp || needs.isLocal,
  }
  const { observeLogin } = needs
  const observed = {
    ...logins,
    basicLogin: observedLogin(logins.basicLogin, 'password', observeLogin),
    sessionLogin: observedLogin(logins.sessionLogin, 'session', observeLogin),
    bearerLogin: logins.bearerLogin && observedLogin(logins.bearerLogin, 'token', observeLogin),
  }
  const unavailable = needs.isLocal ? 'tokens are not there in Local Server mode: use Basic authentication' : undefined
  const tokens = { ...needs, signingKeys, bearerLogin, unavailable }
  return {
    authenticate: authenticate(observed),
    authenticateRefresh: authenticateRefresh(observed),
    issueToken: issueToken(tokens),
    refreshToken: refreshToken(tokens),
    revokeToken: revokeToken(tokens),
    listTokens: listTokens(tokens),
    changeOwnPassword: changeOwnPassword({ ...needs, ...logins }),
    beginSession: beginSession({ ...needs, ...logins, basicLogin: observed.basicLogin }),
    showSession: showSession({ ...needs, ...logins }),
    endSession: endSession(logins),
    publishKeys: publishKeys({ signingKeys: needs.isLocal ? undefined : signingKeys }),
  }
}
