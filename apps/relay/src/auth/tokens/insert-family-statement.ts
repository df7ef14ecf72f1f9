import { z } from 'zod'
import type { Principal } from '../../http/endpoint.ts'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { PlannedPair } from './token-pair.ts'

/**
 * Stores the first pair of a family, unless the caller lost access after authentication. Without this check, a relay
 * that detects the loss two seconds later could issue a pair that is valid for a month. If the pair was requested with
 * a token, its family is a child of that token's family. If it was requested with an API key, its family ends together
 * with the secret of the key that was used.
 *
 * The first statement locks the account against password changes, removal and revocations, so that the second statement
 * sees all changes that were committed before, and later changes see the new family.
 */
export function insertFamily(
  database: Database,
  familyId: string,
  pair: PlannedPair,
  caller: Pick<Principal, 'credentialVersion' | 'tokenId' | 'key' | 'expiresAt'>,
): Promise<boolean> {
  const expiresAt = new Date(Math.max(pair.accessExpiresAt.getTime(), pair.refreshExpiresAt.getTime()))
  const { credentialVersion = null, tokenId = null, expiresAt: endsAt = null, key } = caller
  const { id: keyId = null, secretHash = null } = key ?? {}
  return database.$transaction(async (statements) => {
    const [account] = await readRows(
      statements,
      accountRow,
      Prisma.sql`
      SELECT id FROM accounts WHERE id = ${pair.accountId}
        AND (${credentialVersion}::int IS NULL OR credential_version = ${credentialVersion}::int) FOR SHARE`,
    )
    if (account === undefined) return false
    const stored = await statements.$executeRaw`
      WITH parent AS (
        SELECT f.id, f.key_secret_hash FROM tokens t JOIN token_families f ON f.id = t.family_id
         WHERE t.jti = ${tokenId}::text AND t.account_id = ${pair.accountId} AND f.revoked_at IS NULL
      ), family AS (
        INSERT INTO token_families (id, account_id, scopes, created_at, expires_at, parent_id, ends_at,
                                    key_id, key_secret_hash)
        SELECT ${familyId}, ${pair.accountId}, ${pair.scopes}, ${pair.issuedAt}::timestamptz, ${expiresAt}::timestamptz,
               (SELECT id FROM parent), ${endsAt}::timestamptz, ${keyId}::text,
               coalesce(${secretHash}::text, (SELECT key_secret_hash FROM parent))
         WHERE (${tokenId}::text IS NULL OR EXISTS (SELECT FROM parent))
           AND (${keyId}::text IS NULL OR EXISTS (SELECT FROM api_keys WHERE id = ${keyId} AND revoked_at IS NULL))
        RETURNING id, account_id
      )
      INSERT INTO tokens (jti, family_id, account_id, kind, expires_at, created_at)
      SELECT pair.jti, family.id, family.account_id, pair.kind, pair.expires_at, ${pair.issuedAt}
        FROM family, (VALUES (${pair.accessId}, 'access', ${pair.accessExpiresAt}::timestamptz),
                             (${pair.refreshId}, 'refresh', ${pair.refreshExpiresAt}::timestamptz)) AS pair (jti, kind, expires_at)`
    return stored > 0
  })
}

const accountRow = z.object({ id: z.string() })
