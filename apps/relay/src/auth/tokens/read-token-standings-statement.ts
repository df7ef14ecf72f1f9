import { keyLimits } from '@smsgw/contract/access/api-key'
import { z } from 'zod'
import type { PrincipalKey } from '../../http/endpoint.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { MOST_GENERATIONS } from './read-token-generation-statement.ts'

/** The state of a valid token in the database. A revoked token and a token of a removed account have no such state. */
export interface TokenStanding {
  readonly familyId: string
  readonly accountId: string
  readonly username: string
  /**
   * The time at which the token family expires. Set only if the family was issued to a caller who authenticated with
   * another token, or with the previous secret of a key; otherwise null.
   */
  readonly endsAt: Date | null
  /** The API key that issued the token, or null. */
  readonly key: PrincipalKey | null
}

/**
 * Reads the state of the valid tokens, by primary key. The ids are one array, so the statement is prepared once. Takes
 * no locks.
 */
export async function readTokenStandings(
  database: Statements,
  jtis: string[],
): Promise<ReadonlyMap<string, TokenStanding>> {
  const rows = await readRows(
    database,
    tokenRow,
    Prisma.sql`
    SELECT t.jti, t.family_id AS "familyId", t.account_id AS "accountId", a.username,
           least(f.ends_at, CASE WHEN f.key_secret_hash <> k.secret_hash THEN k.previous_until END) AS "endsAt",
           CASE WHEN k.id IS NOT NULL THEN json_build_object('id', k.id, 'name', k.name, 'limits', k.limits) END AS key
      FROM tokens t
      JOIN token_families f ON f.id = t.family_id AND ${isUnrevoked}
      JOIN accounts a ON a.id = t.account_id
      LEFT JOIN api_keys k ON k.id = f.key_id
     WHERE t.jti = ANY(${jtis}) AND (f.key_id IS NULL OR (k.id IS NOT NULL AND k.revoked_at IS NULL))
       AND ${isOfValidSecret('f')}`,
  )
  return new Map(rows.map(({ jti, ...standing }) => [jti, standing]))
}

const tokenRow = z.object({
  jti: z.string(),
  familyId: z.string(),
  accountId: z.string(),
  username: z.string(),
  endsAt: z.date().nullable(),
  key: z.strictObject({ id: z.string(), name: z.string(), limits: keyLimits }).nullable(),
})

/**
 * True when neither the family `f` nor one of its ancestors is revoked. The ancestors are checked because a relay of an
 * older release revokes a family without its descendants, and may issue a descendant during the revocation. A family
 * with too many ancestors counts as revoked, so that a long chain from an older release does not delay every check.
 */
export const isUnrevoked = Prisma.sql`NOT EXISTS (
  WITH RECURSIVE line AS (
    SELECT f.parent_id, f.revoked_at, 1 AS generation
    UNION ALL
    SELECT parent.parent_id, parent.revoked_at, line.generation + 1
      FROM line JOIN token_families parent ON parent.id = line.parent_id
     WHERE line.generation <= ${MOST_GENERATIONS}
  )
  SELECT FROM line WHERE revoked_at IS NOT NULL OR generation > ${MOST_GENERATIONS})`

/**
 * True when the row with this alias was not created with an API key, or when the secret that was used is still valid. A
 * rotation gives the key a new secret.
 */
export function isOfValidSecret(alias: 'f' | 'p'): Prisma.Sql {
  const row = Prisma.raw(alias)
  return Prisma.sql`NOT EXISTS (
    SELECT FROM api_keys k WHERE k.id = ${row}.key_id AND k.secret_hash <> ${row}.key_secret_hash
      AND (k.previous_until > now() AND k.previous_secret_hash = ${row}.key_secret_hash) IS NOT TRUE)`
}
