import type { Database } from '../store/database.ts'
import { FreshLookup } from '../store/fresh-lookup.ts'
import { Prisma } from '../store/generated/client.ts'

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
          JOIN token_families f ON f.id = t.family_id AND ${isUnrevoked}
          JOIN accounts a ON a.id = t.account_id
         WHERE t.jti = ANY(${jtis})`
      return new Map(rows.map(({ jti, ...standing }) => [jti, standing]))
    },
  })
}

/**
 * Neither the family `f` is revoked nor one that it descends from. A relay of an older release revokes a family without
 * its descendants, and a family may be issued while its parent is being revoked there.
 */
export const isUnrevoked = Prisma.sql`NOT EXISTS (
  WITH RECURSIVE line AS (
    SELECT f.parent_id, f.revoked_at
    UNION ALL
    SELECT parent.parent_id, parent.revoked_at FROM line JOIN token_families parent ON parent.id = line.parent_id
  )
  SELECT FROM line WHERE revoked_at IS NOT NULL)`
