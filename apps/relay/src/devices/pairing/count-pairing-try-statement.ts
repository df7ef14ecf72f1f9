import { z } from 'zod'
import { isUnrevoked } from '../../auth/tokens/read-token-standings-statement.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * Counts an attempt with the code that begins with this prefix, and returns the code if it is still valid. A code that
 * was created with a token becomes invalid when the family of the token is revoked. A code that was created with an API
 * key becomes invalid when the key is revoked.
 *
 * Locks the row until the end of the transaction, so that the next attempt sees the result of this attempt.
 */
export async function countPairingTry(
  statements: Statements,
  prefix: string,
  now: Date,
): Promise<z.output<typeof codeRow> | undefined> {
  const [code] = await readRows(
    statements,
    codeRow,
    Prisma.sql`
    UPDATE pairing_codes c SET tries_left = tries_left - 1
     WHERE prefix = ${prefix} AND tries_left > 0 AND expires_at > ${now}
       AND (family_id IS NULL
            OR EXISTS (SELECT FROM token_families f WHERE f.id = c.family_id AND ${isUnrevoked}))
       AND (key_id IS NULL OR EXISTS (SELECT FROM api_keys k WHERE k.id = c.key_id AND k.revoked_at IS NULL))
    RETURNING secret_hash AS "secretHash", account_id AS "accountId", used_at AS "usedAt"`,
  )
  return code
}

const codeRow = z.object({ secretHash: z.string(), accountId: z.string(), usedAt: z.date().nullable() })
