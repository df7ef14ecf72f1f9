import { passwordChange } from '@smsgw/contract/account'
import { changePassword } from '../accounts/change-password.ts'
import { passwordProblem } from '../accounts/password.ts'
import type { Pepper } from '../accounts/password-hash.ts'
import type { Clock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { refusal } from '../http/validation-error.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Database } from '../store/database.ts'
import type { BasicLogin } from './basic-login.ts'
import type { SessionLogin } from './sessions/session-login.ts'

export interface ChangeOwnPasswordNeeds {
  readonly database: Database
  readonly box: Pepper
  readonly clock: Clock
  readonly logbook: Logbook
  readonly basicLogin: Pick<BasicLogin, 'check' | 'forget'>
  readonly sessionLogin: Pick<SessionLogin, 'forget'>
  /** Whoever keeps a copy of it. Never throws: it is changed already. */
  readonly onPasswordChanged?: ((changed: { readonly username: string; readonly password: string }) => void) | undefined
}

/**
 * Somebody at an unlocked screen is not the owner: the present password is asked for again, and guesses at it are rationed
 * like logins. Sessions end with the old password, the caller's own too, and tokens are revoked.
 */
export function changeOwnPassword(needs: ChangeOwnPasswordNeeds): Endpoint {
  return endpoint({
    body: passwordChange,
    answers: { 204: null },
    async handle({ principal: { accountId: id, username }, body: { currentPassword, newPassword }, address }) {
      const login = await needs.basicLogin.check({ username, password: currentPassword, address })
      if (!login) throw wrongPassword()
      const problem = passwordProblem(newPassword, username)
      if (problem !== undefined) throw refusal([{ path: 'newPassword', message: `is no good: ${problem}` }], 'body')
      const { credentialVersion } = login
      const change = { password: newPassword, keepTokens: false, credentialVersion }
      const { isChanged } = await changePassword(needs, { id, username }, change)
      if (!isChanged) throw wrongPassword()
      needs.basicLogin.forget(id)
      needs.sessionLogin.forget(id)
      const message = 'the password was changed: sessions have ended, and tokens are revoked'
      needs.logbook.write({ accountId: id, module: 'auth', priority: 'INFO', message })
      needs.onPasswordChanged?.({ username, password: newPassword })
      return { status: 204 }
    },
  })
}

function wrongPassword(): ApiError {
  return new ApiError(403, 'currentPassword is not the password of this account')
}
