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
  change: { readonly password: string; readonly keepTokens: boolean },
): Promise<{ readonly revoked: number }> {
  const problem = passwordProblem(change.password, account.username)
  if (problem !== undefined) throw new StartError(problem)
  const passwordHash = await hashPassword(box, change.password)
  return database.$transaction(async (statements) => {
    // First the account: a token that is being issued with the old password waits for this row, or this for it.
    await statements.account.update({
      where: { id: account.id },
      data: { passwordHash, credentialVersion: { increment: 1 } },
    })
    if (change.keepTokens) return { revoked: 0 }
    const { count } = await statements.tokenFamily.updateMany({
      where: { accountId: account.id, revokedAt: null },
      data: { revokedAt: clock.now() },
    })
    return { revoked: count }
  })
}
