import type { Database } from '../store/database.ts'
import { FreshLookup } from '../store/fresh-lookup.ts'

/** Of a token that is not revoked. No standing: it is, or its account is gone. */
export interface TokenStanding {
  readonly familyId: string
  readonly accountId: string
  readonly username: string
}

export function tokenStandings(database: Database, nowMs: () => number): FreshLookup<TokenStanding> {
  return new FreshLookup({
    nowMs,
    size: 10_000,
    async load(jtis) {
      // One statement by primary keys, and one text however many there are: it is prepared once.
      const rows = await database.$queryRaw<(TokenStanding & { readonly jti: string })[]>`
        SELECT t.jti, t.family_id AS "familyId", t.account_id AS "accountId", a.username
          FROM tokens t
          JOIN token_families f ON f.id = t.family_id AND f.revoked_at IS NULL
          JOIN accounts a ON a.id = t.account_id
         WHERE t.jti = ANY(${jtis})`
      return new Map(rows.map(({ jti, ...standing }) => [jti, standing]))
    },
  })
}
