import type { Statements } from '../store/database.ts'

/**
 * Revokes all that was refreshed from the token, and the token with it, whichever of them it is. An unknown token, and
 * one of another account, is none.
 *
 * @returns the families that are revoked now, those that were before included
 */
export async function revokeFamilyOf(
  statements: Statements,
  token: { readonly accountId: string; readonly jti: string },
  at: Date,
): Promise<string[]> {
  const rows = await statements.$queryRaw<{ id: string }[]>`
    UPDATE token_families f SET revoked_at = COALESCE(f.revoked_at, ${at})
      FROM tokens t
     WHERE t.jti = ${token.jti} AND t.account_id = ${token.accountId} AND f.id = t.family_id
    RETURNING f.id`
  return rows.map(({ id }) => id)
}
