import { StartError } from '@smsgw/daemon/start-error'
import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import { passwordProblem } from './password.ts'
import { hashPassword, type Pepper } from './password-hash.ts'
import { canonicalUsername, usernameProblem } from './username.ts'

export interface AccountDeps {
  readonly database: Database
  readonly random: Random
  readonly box: Pepper
}

/** Returns the id of the new account, or undefined when the name is taken. */
export async function createAccount(
  { database, random, box }: AccountDeps,
  given: { readonly username: string; readonly password: string },
): Promise<string | undefined> {
  const username = canonicalUsername(given.username)
  const problem = usernameProblem(username) ?? passwordProblem(given.password, username)
  if (problem !== undefined) throw new StartError(problem)
  const account = { id: newId(random), username, passwordHash: await hashPassword(box, given.password) }
  // The unique constraint decides, not a query before: two relays may create their first account at the same time.
  const { count } = await database.account.createMany({ data: account, skipDuplicates: true })
  return count === 1 ? account.id : undefined
}
