import { z } from 'zod'
import { NO_PASSWORD } from '../accounts/password-hash.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * The state with which a cached login is compared. An account that is removed, or is being removed, has no such state.
 */
export interface AccountStanding {
  readonly username: string
  readonly credentialVersion: number
}

/**
 * Reads the state of the existing accounts. The ids are one array, so the statement is prepared once. Takes no locks.
 */
export async function readAccountStandings(
  database: Statements,
  ids: string[],
): Promise<ReadonlyMap<string, AccountStanding>> {
  const rows = await readRows(
    database,
    accountRow,
    Prisma.sql`
    SELECT id, username, credential_version AS "credentialVersion" FROM accounts
     WHERE id = ANY(${ids}) AND password_hash <> ${NO_PASSWORD}`,
  )
  return new Map(rows.map(({ id, ...standing }) => [id, standing]))
}

const accountRow = z.object({ id: z.string(), username: z.string(), credentialVersion: z.int() })
