import { passwordChange } from '@smsgw/contract/access/account'
import { changePassword } from '../../accounts/change-password.ts'
import { passwordProblem } from '../../accounts/password.ts'
import type { Pepper } from '../../accounts/password-hash.ts'
import type { CoreDeps } from '../../core-deps.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { fieldError } from '../../http/errors/validation-error.ts'
import type { BasicLogin } from './basic-login.ts'

export interface ChangeOwnPasswordDeps extends Pick<CoreDeps, 'database' | 'clock' | 'logbook'> {
  readonly box: Pepper
  readonly basicLogin: Pick<BasicLogin, 'check'>
  readonly hints: { accessChanged(accountId: string): void }
  /**
   * Called after the change is committed, to update a copy of the password, such as the file of a gateway. Must not
   * throw.
   */
  readonly onPasswordChanged?: ((changed: { readonly username: string; readonly password: string }) => void) | undefined
}

/** Changes the password of the calling account. */
export function changeOwnPassword(deps: ChangeOwnPasswordDeps): Endpoint {
  const change = changePasswordAs(deps)
  return endpoint({
    body: passwordChange,
    answers: { 204: null },
    async handle({ principal: { accountId, username }, body, address }) {
      if (await change({ accountId, username, address }, body)) return { status: 204 }
      throw new ApiError(403, 'currentPassword is not the password of this account', {
        reason: 'wrong_current_password',
      })
    },
  })
}

export interface PasswordOwner {
  readonly accountId: string
  readonly username: string
  /** Address of the caller. */
  readonly address: string
}

/**
 * Changes the password of an account. Returns false if the current password is wrong. The current password is required,
 * because the person at an unlocked screen may not be the owner. Guesses are throttled like logins. All sessions end,
 * including the caller's, and all tokens and pairing codes are revoked.
 */
export function changePasswordAs(deps: ChangeOwnPasswordDeps) {
  return async (
    { accountId: id, username, address }: PasswordOwner,
    { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
  ): Promise<boolean> => {
    const login = await deps.basicLogin.check({ username, password: currentPassword, address })
    if (!login) return false
    const problem = passwordProblem(newPassword, username)
    if (problem !== undefined)
      throw fieldError('newPassword', { ...problem, message: `is not allowed: ${problem.message}` })
    const { credentialVersion } = login
    const change = { password: newPassword, keepTokens: false, credentialVersion }
    const { isChanged } = await changePassword(deps, { id, username }, change)
    if (!isChanged) return false
    deps.hints.accessChanged(id)
    const message = 'password changed: all sessions ended, all tokens and pairing codes revoked'
    deps.logbook.write({ accountId: id, module: 'auth', priority: 'INFO', message })
    deps.onPasswordChanged?.({ username, password: newPassword })
    return true
  }
}
