import { StartError } from '@smsgw/daemon/start-error'
import type { CoreDeps } from '../core-deps.ts'
import { newId } from '../random.ts'
import { passwordProblem } from './password.ts'
import { hashPassword, type Pepper } from './password-hash.ts'
import { canonicalUsername, usernameProblem } from './username.ts'

export interface AccountDeps extends Pick<CoreDeps, 'database' | 'random'> {
  readonly box: Pepper
}

/** Returns the id of the new account, or undefined when the name is taken. */
export async function createAccount(
  { database, random, box }: AccountDeps,
  given: { readonly username: string; readonly password: string },
): Promise<string | undefined> {
  const username = canonicalUsername(given.username)
  const problem = usernameProblem(username) ?? passwordProblem(given.password, username)?.message
  if (problem !== undefined) throw new StartError(problem)
  const account = { id: newId(random), username, passwordHash: await hashPassword(box, given.password) }
  // Relies on the unique constraint instead of an earlier query, because two relays may create the first account at the
  // same time.
  const { count } = await database.account.createMany({ data: account, skipDuplicates: true })
  return count === 1 ? account.id : undefined
}

/**
 * Creates the first account of the configuration and returns its id. If the account exists, its password is not
 * changed, so that a restart does not reset the password.
 */
export async function ensureAccount(
  deps: AccountDeps,
  given: { readonly username: string; readonly password: string },
): Promise<string> {
  const byName = { where: { username: canonicalUsername(given.username) }, select: { id: true } }
  const existing = await deps.database.account.findUnique(byName)
  if (existing) return existing.id
  return (await createAccount(deps, given)) ?? (await deps.database.account.findUniqueOrThrow(byName)).id
}
