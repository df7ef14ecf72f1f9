import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

export interface SessionStanding {
  readonly accountId: string
  readonly username: string
  readonly credentialVersion: number
  readonly expiresAt: Date
}

/**
 * Reads the sessions whose password is unchanged, by the hashes of their tokens. The hashes are one array, so the
 * statement is prepared once. Takes no locks.
 */
export async function readSessionStandings(
  database: Statements,
  hashes: string[],
): Promise<ReadonlyMap<string, SessionStanding>> {
  const rows = await readRows(
    database,
    sessionRow,
    Prisma.sql`
    SELECT s.token_hash AS "tokenHash", s.account_id AS "accountId", a.username,
           s.credential_version AS "credentialVersion", s.expires_at AS "expiresAt"
      FROM sessions s JOIN accounts a ON a.id = s.account_id AND a.credential_version = s.credential_version
     WHERE s.token_hash = ANY(${hashes})`,
  )
  return new Map(rows.map(({ tokenHash, ...standing }) => [tokenHash, standing]))
}

const sessionRow = z.object({
  tokenHash: z.string(),
  accountId: z.string(),
  username: z.string(),
  credentialVersion: z.int(),
  expiresAt: z.date(),
})
