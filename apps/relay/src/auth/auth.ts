import type { CoreDeps } from '../core-deps.ts'
import type { WakeHints } from '../hints/wake-hints.ts'
import { authenticatePhone } from '../mobile/authenticate-phone.ts'
import { LiveAdmissions } from './admissions.ts'
import { authenticate, authenticateRefresh } from './authenticate.ts'
import { changeKey, createKey, getKey, listKeys } from './keys/key-endpoints.ts'
import { KeyLogin } from './keys/key-login.ts'
import { revokeKey, rotateKey } from './keys/rotate-key.ts'
import { BasicLogin } from './passwords/basic-login.ts'
import { type ChangeOwnPasswordDeps, changeOwnPassword, changePasswordAs } from './passwords/change-own-password.ts'
import { type ObserveLogin, observedLogin } from './passwords/login-metrics.ts'
import { endSession, showSession, startSession } from './sessions/session-endpoints.ts'
import { SessionLogin } from './sessions/session-login.ts'
import { BearerLogin } from './tokens/bearer-login.ts'
import { publishKeys, SigningKeys } from './tokens/signing-keys.ts'
import { issueToken, listTokens, refreshToken, revokeToken } from './tokens/token-endpoints.ts'

interface TokenRules {
  /** `iss` of tokens. */
  readonly issuer: string
  readonly maxTtlSeconds: number
  readonly refreshTtlSeconds: number
}

export interface AuthDeps extends Pick<ChangeOwnPasswordDeps, 'onPasswordChanged'> {
  /** The dependencies that authentication shares with the other features. */
  readonly core: CoreDeps & { readonly hints: Pick<WakeHints, 'listen' | 'accessChanged'> }
  readonly tokens: TokenRules
  /** In Local Server mode, the relay accepts passwords and API keys, but no tokens. */
  readonly isLocal: boolean
  readonly allowInsecureHttp: boolean
  readonly version: string
  readonly hasVirtualPhone: boolean
  readonly observeLogin: ObserveLogin
}

export type Auth = ReturnType<typeof buildAuth>

/** Builds authentication and its endpoints. `rotateSigningKeys` must have run once on the database before this call. */
export function buildAuth({ core, tokens: tokenRules, ...rest }: AuthDeps) {
  const deps = { ...core, ...tokenRules, ...rest }
  const signingKeys = new SigningKeys(deps)
  const bearerLogin = new BearerLogin({ ...deps, signingKeys })
  const logins = {
    basicLogin: new BasicLogin(deps),
    sessionLogin: new SessionLogin(deps),
    keyLogin: new KeyLogin(deps),
    bearerLogin: deps.isLocal ? undefined : bearerLogin,
    allowInsecureHttp: deps.allowInsecureHttp || deps.isLocal,
  }
  const { observeLogin } = deps
  const observed = {
    ...logins,
    basicLogin: observedLogin(logins.basicLogin, 'password', observeLogin),
    sessionLogin: observedLogin(logins.sessionLogin, 'session', observeLogin),
    keyLogin: observedLogin(logins.keyLogin, 'key', observeLogin),
    bearerLogin: logins.bearerLogin && observedLogin(logins.bearerLogin, 'token', observeLogin),
  }
  const unavailable = deps.isLocal
    ? 'Tokens are not available in Local Server mode: use Basic authentication or an API key'
    : undefined
  const tokens = { ...deps, signingKeys, unavailable }
  const sessions = { ...deps, ...logins, basicLogin: observed.basicLogin }
  return {
    authenticate: authenticate(observed),
    authenticateRefresh: authenticateRefresh(observed),
    authenticatePhone: authenticatePhone({ ...deps, allowInsecureHttp: logins.allowInsecureHttp }),
    allowInsecureHttp: logins.allowInsecureHttp,
    admissions: new LiveAdmissions({ ...deps, ...logins, bearerLogin }),
    issueToken: issueToken(tokens),
    refreshToken: refreshToken(tokens),
    revokeToken: revokeToken(tokens),
    listTokens: listTokens(tokens),
    listKeys: listKeys(deps),
    createKey: createKey(deps),
    getKey: getKey(deps),
    changeKey: changeKey(deps),
    rotateKey: rotateKey(deps),
    revokeKey: revokeKey(deps),
    changeOwnPassword: changeOwnPassword({ ...deps, ...logins }),
    changePasswordAs: changePasswordAs({ ...deps, ...logins }),
    beginSession: startSession(sessions),
    showSession: showSession(sessions),
    endSession: endSession(sessions),
    publishKeys: publishKeys({ signingKeys: deps.isLocal ? undefined : signingKeys }),
  }
}
