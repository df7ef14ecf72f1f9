import { StartError } from '@smsgw/daemon/start-error'
import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { passwordProblem } from './password.ts'
import { hashPassword, type Pepper } from './password-hash.ts'

interface ChangePasswordNeeds {
  readonly database: Database
  readonly box: Pepper
  readonly clock: Clock
}

/**
 * Logins with the old password are void from the next look at the account on, which is two seconds away at most. Tokens
 * are revoked as well, since whoever knew the old password could have made some; unless they are to be kept.
 */
export async function changePassword(
  { database, box, clock }: ChangePasswordNeeds,
  account: { readonly id: string; readonly username: string },
  change: {
    readonly password: string
    readonly keepTokens: boolean
    /** Of the password that it replaces: another one is left as it is. Left out: it replaces any. */
    readonly credentialVersion?: number
  },
): Promise<{ readonly isChanged: boolean; readonly revoked: number }> {
  const problem = passwordProblem(change.password, account.username)
  if (problem !== undefined) throw new StartError(problem)
  const passwordHash = await hashPassword(box, change.password)
  return database.$transaction(async (statements) => {
    // First the account: a token that is being issued with the old password waits for this row, or this for it.
    const { credentialVersion } = change
    const { count: changed } = await statements.account.updateMany({
      where: { id: account.id, ...(credentialVersion !== undefined && { credentialVersion }) },
      data: { passwordHash, credentialVersion: { increment: 1 } },
    })
    if (changed === 0) return { isChanged: false, revoked: 0 }
    if (change.keepTokens) return { isChanged: true, revoked: 0 }
    const { count } = await statements.tokenFamily.updateMany({
      where: { accountId: account.id, revokedAt: null },
      data: { revokedAt: clock.now() },
    })
    return { isChanged: true, revoked: count }
  })
}
