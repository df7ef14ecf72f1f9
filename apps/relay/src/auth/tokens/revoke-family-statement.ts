import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * Revokes the family of a token: the token, all tokens refreshed from it, and recursively the families that these
 * tokens issued. The parent family stays valid. If the token is unknown or belongs to another account, nothing is
 * revoked. Returns the revoked families, including those that were already revoked.
 *
 * First locks the account. If another transaction issues a family at the same time, then either the second statement
 * sees this family, or the other transaction sees the revocation.
 */
export function revokeFamilyOf(
  database: Database,
  token: { readonly accountId: string; readonly jti: string },
  at: Date,
): Promise<string[]> {
  return database.$transaction(async (statements) => {
    await statements.$executeRaw`SELECT FROM accounts WHERE id = ${token.accountId} FOR NO KEY UPDATE`
    const rows = await readRows(
      statements,
      familyRow,
      Prisma.sql`
      WITH RECURSIVE revoked AS (
        SELECT family_id AS id FROM tokens WHERE jti = ${token.jti} AND account_id = ${token.accountId}
        UNION
        SELECT child.id FROM token_families child JOIN revoked ON child.parent_id = revoked.id
      )
      UPDATE token_families f SET revoked_at = COALESCE(f.revoked_at, ${at}) FROM revoked WHERE f.id = revoked.id
      RETURNING f.id`,
    )
    return rows.map(({ id }) => id)
  })
}

const familyRow = z.object({ id: z.string() })
