import type { Statements } from '../../store/database.ts'
import type { PlannedPair } from './token-pair.ts'

/**
 * Marks a refresh token as used and stores the pair that replaces it. Returns whether the token was valid and unused.
 * If the token is used twice at the same time, the second use waits for the row lock of the first, and then sees that
 * the token has been used. The row of the family is locked. A concurrent revocation either commits first, and then
 * nothing is stored, or it also revokes the new pair. A used token is kept until it expires, so that a second use is
 * detected.
 */
export async function replacePair(statements: Statements, refreshId: string, pair: PlannedPair): Promise<boolean> {
  const expiresAt = new Date(Math.max(pair.accessExpiresAt.getTime(), pair.refreshExpiresAt.getTime()))
  const stored = await statements.$executeRaw`
    WITH used AS (
      UPDATE tokens SET used_at = ${pair.issuedAt}
       WHERE jti = ${refreshId} AND account_id = ${pair.accountId} AND kind = 'refresh' AND used_at IS NULL
      RETURNING family_id, account_id
    ), family AS (
      UPDATE token_families f SET expires_at = GREATEST(f.expires_at, ${expiresAt}::timestamptz)
        FROM used
       WHERE f.id = used.family_id AND f.revoked_at IS NULL
      RETURNING f.id, used.account_id
    ), expired AS (
      DELETE FROM tokens t USING family WHERE t.family_id = family.id AND t.expires_at < ${pair.issuedAt}
    )
    INSERT INTO tokens (jti, family_id, account_id, kind, expires_at, created_at)
    SELECT pair.jti, family.id, family.account_id, pair.kind, pair.expires_at, ${pair.issuedAt}
      FROM family, (VALUES (${pair.accessId}, 'access', ${pair.accessExpiresAt}::timestamptz),
                           (${pair.refreshId}, 'refresh', ${pair.refreshExpiresAt}::timestamptz)) AS pair (jti, kind, expires_at)`
  return stored > 0
}
