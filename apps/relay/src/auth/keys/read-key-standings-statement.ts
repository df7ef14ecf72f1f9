import { keyLimits } from '@smsgw/contract/access/api-key'
import { z } from 'zod'
import { NO_PASSWORD } from '../../accounts/password-hash.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/** The state of a key, if the key is not revoked. */
export type KeyStanding = Omit<z.output<typeof keyRow>, 'id'>

/** Reads the keys that are not revoked. The ids are one array, so the statement is prepared once. Takes no locks. */
export async function readKeyStandings(database: Statements, ids: string[]): Promise<ReadonlyMap<string, KeyStanding>> {
  const rows = await readRows(
    database,
    keyRow,
    Prisma.sql`
    SELECT k.id, k.account_id AS "accountId", a.username, k.name, 
           coalesce(k.scopes, '{}') AS scopes, k.limits, k.secret_hash AS "secretHash",
           k.previous_secret_hash AS "previousSecretHash", k.previous_until AS "previousUntil",
           k.expires_at AS "expiresAt"
      FROM api_keys k JOIN accounts a ON a.id = k.account_id AND a.password_hash <> ${NO_PASSWORD}
     WHERE k.id = ANY(${ids}) AND k.revoked_at IS NULL`,
  )
  return new Map(rows.map(({ id, ...standing }) => [id, standing]))
}

const keyRow = z.object({
  id: z.string(),
  accountId: z.string(),
  username: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  limits: keyLimits,
  secretHash: z.string(),
  previousSecretHash: z.string().nullable(),
  previousUntil: z.date().nullable(),
  expiresAt: z.date().nullable(),
})
