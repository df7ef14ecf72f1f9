import { NO_PASSWORD } from '../accounts/password-hash.ts'
import type { Database } from '../store/database.ts'
import { FreshLookup } from '../store/fresh-lookup.ts'

/** The state that a cached login is compared with. A removed account, or one being removed, has no standing. */
export interface AccountStanding {
  readonly username: string
  readonly credentialVersion: number
}

export function accountStandings(database: Database, nowMs: () => number): FreshLookup<AccountStanding> {
  return new FreshLookup({
    nowMs,
    size: 10_000,
    async load(ids) {
      // One array parameter, so that the statement is prepared once.
      const rows = await database.$queryRaw<(AccountStanding & { readonly id: string })[]>`
        SELECT id, username, credential_version AS "credentialVersion" FROM accounts
         WHERE id = ANY(${ids}) AND password_hash <> ${NO_PASSWORD}`
      return new Map(rows.map(({ id, ...standing }) => [id, standing]))
    },
  })
}
