import { type AccountDeps, createAccount } from './create-account.ts'
import { canonicalUsername } from './username.ts'

/** Creates the first account of the configuration. An existing account keeps its password: a restart must not reset it. */
export async function ensureAccount(
  deps: AccountDeps,
  given: { readonly username: string; readonly password: string },
): Promise<{ readonly accountId: string; readonly isNew: boolean }> {
  const byName = { where: { username: canonicalUsername(given.username) }, select: { id: true } }
  const known = await deps.database.account.findUnique(byName)
  if (known) return { accountId: known.id, isNew: false }
  const created = await createAccount(deps, given)
  if (created !== undefined) return { accountId: created, isNew: true }
  const { id } = await deps.database.account.findUniqueOrThrow(byName)
  return { accountId: id, isNew: false }
}
