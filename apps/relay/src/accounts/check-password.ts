import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import { isTooLong } from './password.ts'
import { hashPassword, matchesPassword, NO_PASSWORD, type Pepper } from './password-hash.ts'
import { canonicalUsername, usernameProblem } from './username.ts'

interface CheckPasswordNeeds {
  readonly database: Database
  readonly box: Pepper
  readonly random: Random
}

interface Pair {
  readonly username: string
  readonly password: string
}

interface Match {
  readonly accountId: string
  readonly credentialVersion: number
}

/**
 * Compares a password with that of the account. Where there is none to compare with, it is compared with the hash of a
 * password that nobody has: the time does not tell which accounts exist.
 */
export function passwordChecker(needs: CheckPasswordNeeds): (pair: Pair) => Promise<Match | undefined> {
  const { box } = needs
  let hashOfNobody: Promise<string> | undefined
  return async ({ username, password }) => {
    hashOfNobody ??= hashPassword(box, newId(needs.random))
    const account = isTooLong(password) ? null : await findCredentials(needs.database, canonicalUsername(username))
    const matches = await matchesPassword(box, account?.passwordHash ?? (await hashOfNobody), account ? password : '')
    return account && matches ? { accountId: account.id, credentialVersion: account.credentialVersion } : undefined
  }
}

async function findCredentials(database: Database, username: string) {
  // What cannot be a name is not asked for: a NUL would be an error of the database.
  if (usernameProblem(username) !== undefined) return null
  const account = await database.account.findUnique({
    where: { username },
    select: { id: true, passwordHash: true, credentialVersion: true },
  })
  return account?.passwordHash === NO_PASSWORD ? null : account
}
