import type { Principal } from '../http/endpoint.ts'
import type { Statements } from '../store/database.ts'
import type { TokenPair } from './token-pair.ts'

/**
 * Stores a first pair, unless its caller has lost the right to it since it was authenticated: another replica may not
 * have heard for two seconds, and a pair that slipped through then would live for a month. The account is locked against
 * a change of its password or its removal at the same moment: either this waits and finds it changed, or that waits and
 * finds the new family.
 */
export async function insertFamily(
  statements: Statements,
  familyId: string,
  pair: TokenPair,
  caller: Pick<Principal, 'credentialVersion' | 'tokenId'>,
): Promise<boolean> {
  const expiresAt = new Date(Math.max(pair.accessExpiresAt.getTime(), pair.refreshExpiresAt.getTime()))
  const stored = await statements.$executeRaw`
    WITH account AS (
      SELECT id FROM accounts a
       WHERE a.id = ${pair.accountId}
         AND (${caller.credentialVersion ?? null}::int IS NULL OR a.credential_version = ${caller.credentialVersion ?? null}::int)
         AND (${caller.tokenId ?? null}::text IS NULL OR EXISTS (
               SELECT FROM tokens t JOIN token_families f ON f.id = t.family_id
                WHERE t.jti = ${caller.tokenId ?? null}::text AND t.account_id = a.id AND f.revoked_at IS NULL))
         FOR SHARE OF a
    ), family AS (
      INSERT INTO token_families (id, account_id, scopes, created_at, expires_at)
      SELECT ${familyId}, id, ${pair.scopes}, ${pair.issuedAt}, ${expiresAt} FROM account
      RETURNING id, account_id
    )
    INSERT INTO tokens (jti, family_id, account_id, kind, expires_at, created_at)
    SELECT pair.jti, family.id, family.account_id, pair.kind, pair.expires_at, ${pair.issuedAt}
      FROM family, (VALUES (${pair.accessId}, 'access', ${pair.accessExpiresAt}::timestamptz),
                           (${pair.refreshId}, 'refresh', ${pair.refreshExpiresAt}::timestamptz)) AS pair (jti, kind, expires_at)`
  return stored > 0
}
