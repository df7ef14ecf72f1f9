import { StartError } from '@smsgw/daemon/start-error'
import type { Database } from '../store/database.ts'
import { canonicalUsername, usernameProblem } from './username.ts'

/** Returns the account with this name, or throws a StartError. */
export async function findAccount(
  database: Database,
  username: string,
): Promise<{ readonly id: string; readonly username: string }> {
  const name = canonicalUsername(username)
  // An invalid name is not looked up, because PostgreSQL rejects a NUL character.
  const account =
    usernameProblem(name) === undefined
      ? await database.account.findUnique({ where: { username: name }, select: { id: true, username: true } })
      : null
  if (!account) throw new StartError(`account ${JSON.stringify(username)} does not exist: see \`accounts list\``)
  return account
}
