import { type AccountNeeds, createAccount } from './create-account.ts'
import { canonicalUsername } from './username.ts'

/**
 * The first account, as configuration names it. Its password is only the first one: an account that exists keeps its own,
 * else a restart would undo each change.
 */
export async function ensureAccount(
  needs: AccountNeeds,
  given: { readonly username: string; readonly password: string },
): Promise<{ readonly accountId: string; readonly isNew: boolean }> {
  const byName = { where: { username: canonicalUsername(given.username) }, select: { id: true } }
  const known = await needs.database.account.findUnique(byName)
  if (known) return { accountId: known.id, isNew: false }
  const created = await createAccount(needs, given)
  if (created !== undefined) return { accountId: created, isNew: true }
  const { id } = await needs.database.account.findUniqueOrThrow(byName)
  return { accountId: id, isNew: false }
}
