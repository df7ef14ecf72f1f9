// Ends streams and other long requests when their caller loses access. This happens when a token or key expires or is
// revoked, a session ends, the password changes, or the account is removed. A hint from the relay that made the change
// ends the requests at once. If the hint is lost, a check every CHECK_EVERY_MS ends them. The check reads a state that
// is less than two seconds old.
import type { WakeHint } from '../hints/wake-hint.ts'
import type { AccessLoss, Admissions, OnLost } from '../http/admissions.ts'
import type { Principal } from '../http/endpoint.ts'
import type { KeyLogin } from './keys/key-login.ts'
import type { BasicLogin } from './passwords/basic-login.ts'
import type { SessionLogin } from './sessions/session-login.ts'
import type { BearerLogin } from './tokens/bearer-login.ts'

const CHECK_EVERY_MS = 250

export interface LiveAdmissionsDeps {
  readonly basicLogin: Pick<BasicLogin, 'standingOf' | 'forget'>
  readonly sessionLogin: Pick<SessionLogin, 'lossOf' | 'forget'>
  readonly bearerLogin: Pick<BearerLogin, 'lossOf' | 'forget'>
  readonly keyLogin: Pick<KeyLogin, 'lossOf' | 'forget'>
  readonly hints: { listen(listener: (hint: WakeHint) => boolean | undefined): unknown }
}

interface Watched {
  readonly principal: Principal
  readonly onLost: OnLost
}

export class LiveAdmissions implements Admissions {
  readonly #deps: LiveAdmissionsDeps
  readonly #watched = new Set<Watched>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: LiveAdmissionsDeps) {
    this.#deps = deps
    deps.hints.listen((hint) => {
      if (hint.kind === 'access-changed') this.#changed(hint.accountId)
      return undefined
    })
  }

  async lossOf(principal: Principal): Promise<AccessLoss | undefined> {
    const { basicLogin } = this.#deps
    if (principal.accountId === '') return undefined
    const loss = await this.#lossOfCredentials(principal)
    if (loss === 'token_expired' || loss === 'session_expired' || loss === 'key_expired') return loss
    const isByPassword = principal.tokenId === undefined && principal.credentialVersion !== undefined
    // The account is read only for passwords and sessions, and for tokens and keys that have ended.
    if (!loss && !isByPassword) return undefined
    // The change that ended the token, key or session may also have removed the account.
    if (loss) basicLogin.forget(principal.accountId)
    const account = await basicLogin.standingOf(principal.accountId)
    if (!account) return 'account_removed'
    if (isByPassword && account.credentialVersion !== principal.credentialVersion) return 'password_changed'
    return loss
  }

  async #lossOfCredentials({ tokenId, expiresAt, key, session }: Principal): Promise<AccessLoss | undefined> {
    const { bearerLogin, keyLogin, sessionLogin } = this.#deps
    if (tokenId !== undefined) return await bearerLogin.lossOf(tokenId, expiresAt)
    if (key?.secretHash !== undefined) return await keyLogin.lossOf(key.id, key.secretHash)
    return session === undefined ? undefined : await sessionLogin.lossOf(session)
  }

  watch(principal: Principal, onLost: OnLost): () => void {
    const watched = { principal, onLost }
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => this.#check([...this.#watched]), CHECK_EVERY_MS).unref()
    return () => {
      this.#watched.delete(watched)
      if (this.#watched.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #changed(accountId: string): void {
    const { basicLogin, bearerLogin, keyLogin, sessionLogin } = this.#deps
    for (const login of [basicLogin, bearerLogin, keyLogin, sessionLogin]) login.forget(accountId)
    this.#check([...this.#watched].filter(({ principal }) => principal.accountId === accountId))
  }

  #check(which: readonly Watched[]): void {
    for (const watched of which) void this.#checkOne(watched)
  }

  async #checkOne(watched: Watched): Promise<void> {
    try {
      const loss = await this.lossOf(watched.principal)
      if (loss !== undefined && this.#watched.has(watched)) watched.onLost(loss)
    } catch {
      // Ignores the error, because the database is unavailable. The next check tries again.
    }
  }
}
