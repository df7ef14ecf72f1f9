import { StartError } from '@smsgw/daemon/start-error'
import type { Database } from '../store/database.ts'
import { canonicalUsername, usernameProblem } from './username.ts'

/** The account of this name, or one clear line. */
export async function findAccount(
  database: Database,
  username: string,
): Promise<{ readonly id: string; readonly username: string }> {
  const name = canonicalUsername(username)
  // What cannot be a name is not asked for: a NUL would be an error of the database.
  const account =
    usernameProblem(name) === undefined
      ? await database.account.findUnique({ where: { username: name }, select: { id: true, username: true } })
      : null
  if (!account)
    throw new StartError(`no account is called ${JSON.stringify(username)}; \`accounts list\` names them all`)
  return account
}
