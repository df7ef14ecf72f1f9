import type { Database } from '../store/database.ts'
import { FreshLookup } from '../store/fresh-lookup.ts'

/** What a remembered login is compared with. No standing: the account is gone. */
export interface AccountStanding {
  readonly username: string
  readonly credentialVersion: number
}

export function accountStandings(database: Database, nowMs: () => number): FreshLookup<AccountStanding> {
  return new FreshLookup({
    nowMs,
    size: 10_000,
    async load(ids) {
      // One text however many ids: the statement is prepared once.
      const rows = await database.$queryRaw<(AccountStanding & { readonly id: string })[]>`
        SELECT id, username, credential_version AS "credentialVersion" FROM accounts WHERE id = ANY(${ids})`
      return new Map(rows.map(({ id, ...standing }) => [id, standing]))
    },
  })
}
