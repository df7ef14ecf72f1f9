import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { isOfValidSecret, isUnrevoked } from './read-token-standings-statement.ts'

const MOST_FAMILIES = 1_000

/** Returns the token families of an account that are not revoked and have not ended, newest first. Takes no locks. */
export async function listValidFamilies(database: Statements, accountId: string, now: Date): Promise<string[]> {
  const rows = await readRows(
    database,
    familyRow,
    Prisma.sql`
    SELECT f.id FROM token_families f
     WHERE f.account_id = ${accountId} AND least(f.expires_at, f.ends_at) > ${now} AND ${isUnrevoked}
       AND ${isOfValidSecret('f')}
     ORDER BY f.created_at DESC, f.id DESC LIMIT ${MOST_FAMILIES}`,
  )
  return rows.map(({ id }) => id)
}

const familyRow = z.object({ id: z.string() })
