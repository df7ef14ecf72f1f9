import type { CoreDeps } from '../core-deps.ts'
import { newId } from '../random.ts'
import type { Database } from '../store/database.ts'
import { isTooLong } from './password.ts'
import { hashPassword, matchesPassword, NO_PASSWORD, type Pepper } from './password-hash.ts'
import { usernameProblem } from './username.ts'

interface CheckPasswordDeps extends Pick<CoreDeps, 'database' | 'random'> {
  readonly box: Pepper
}

interface Pair {
  /** The username in canonical form. */
  readonly username: string
  readonly password: string
}

interface Match {
  readonly accountId: string
  readonly credentialVersion: number
}

/**
 * Returns a function that compares a password with the password of the account. For an unknown account, compares it
 * with a dummy hash, so that the time does not reveal which accounts exist.
 */
export function passwordChecker(deps: CheckPasswordDeps): (pair: Pair) => Promise<Match | undefined> {
  const { box } = deps
  let dummyHash: Promise<string> | undefined
  return async ({ username, password }) => {
    dummyHash ??= hashPassword(box, newId(deps.random))
    const account = isTooLong(password) ? null : await findCredentials(deps.database, username)
    const matches = await matchesPassword(box, account?.passwordHash ?? (await dummyHash), account ? password : '')
    return account && matches ? { accountId: account.id, credentialVersion: account.credentialVersion } : undefined
  }
}

async function findCredentials(database: Database, username: string) {
  // An invalid name is not looked up, because PostgreSQL rejects a NUL character.
  if (usernameProblem(username) !== undefined) return null
  const account = await database.account.findUnique({
    where: { username },
    select: { id: true, passwordHash: true, credentialVersion: true },
  })
  return account?.passwordHash === NO_PASSWORD ? null : account
}
