import { StartError } from '@smsgw/daemon/start-error'
import type { CoreDeps } from '../core-deps.ts'
import { passwordProblem } from './password.ts'
import { hashPassword, type Pepper } from './password-hash.ts'

interface ChangePasswordDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly box: Pepper
}

/**
 * Changes the password of an account. Every relay refuses the old password within two seconds. Unless `keepTokens` is
 * set, tokens and pairing codes are revoked, because somebody who stole the old password could have created some.
 */
export async function changePassword(
  { database, box, clock }: ChangePasswordDeps,
  account: { readonly id: string; readonly username: string },
  change: {
    readonly password: string
    readonly keepTokens: boolean
    /** If set, the password is replaced only while it has this version. */
    readonly credentialVersion?: number
  },
): Promise<{ readonly isChanged: boolean; readonly revoked: number }> {
  const problem = passwordProblem(change.password, account.username)
  if (problem !== undefined) throw new StartError(problem.message)
  const passwordHash = await hashPassword(box, change.password)
  return database.$transaction(async (statements) => {
    // Updates the account first. The row lock then delays any token that is being issued with the old password.
    const { credentialVersion } = change
    const { count: changed } = await statements.account.updateMany({
      where: { id: account.id, ...(credentialVersion !== undefined && { credentialVersion }) },
      data: { passwordHash, credentialVersion: { increment: 1 } },
    })
    if (changed === 0) return { isChanged: false, revoked: 0 }
    await statements.recognisedLogin.deleteMany({ where: { accountId: account.id } })
    if (change.keepTokens) return { isChanged: true, revoked: 0 }
    await statements.pairingCode.deleteMany({ where: { accountId: account.id, usedAt: null } })
    const { count } = await statements.tokenFamily.updateMany({
      where: { accountId: account.id, revokedAt: null },
      data: { revokedAt: clock.now() },
    })
    return { isChanged: true, revoked: count }
  })
}
