import type { Database } from '../store/database.ts'
import { FreshLookup } from '../store/fresh-lookup.ts'

/** What the database knows of a valid token. A revoked token, or one of a removed account, has no standing. */
export interface TokenStanding {
  readonly familyId: string
  readonly accountId: string
  readonly username: string
  /** End of the family; set when a token issued it. */
  readonly endsAt: Date | null
}

export function tokenStandings(database: Database, nowMs: () => number): FreshLookup<TokenStanding> {
  return new FreshLookup({
    nowMs,
    size: 10_000,
    async load(jtis) {
      // Uses primary keys, and one array parameter so that the statement is prepared once.
      const rows = await database.$queryRaw<(TokenStanding & { readonly jti: string })[]>`
        SELECT t.jti, t.family_id AS "familyId", t.account_id AS "accountId", a.username, f.ends_at AS "endsAt"
          FROM tokens t
          JOIN token_families f ON f.id = t.family_id AND f.revoked_at IS NULL
          JOIN accounts a ON a.id = t.account_id
         WHERE t.jti = ANY(${jtis})`
      return new Map(rows.map(({ jti, ...standing }) => [jti, standing]))
    },
  })
}
