import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import type { Visibility } from './visibility.ts'

/**
 * Reads all numbers that messages were exchanged with, at most `most` per direction. Costs one index look-up per
 * number. Takes no locks.
 */
export async function readEveryNumber(
  statements: Statements,
  { accountId, sent, received }: Visibility,
  most: number,
): Promise<string[]> {
  const rows = await readRows(
    statements,
    numberRow,
    Prisma.sql`
    WITH RECURSIVE sent AS (
      (SELECT phone_number AS number FROM recipients WHERE ${sent} AND account_id = ${accountId}
        ORDER BY phone_number LIMIT 1)
      UNION ALL
      SELECT (SELECT phone_number FROM recipients WHERE account_id = ${accountId} AND phone_number > sent.number
        ORDER BY phone_number LIMIT 1)
      FROM sent WHERE sent.number IS NOT NULL
    ), received AS (
      (SELECT sender AS number FROM inbox WHERE ${received} AND account_id = ${accountId} ORDER BY sender LIMIT 1)
      UNION ALL
      SELECT (SELECT sender FROM inbox WHERE account_id = ${accountId} AND sender > received.number
        ORDER BY sender LIMIT 1)
      FROM received WHERE received.number IS NOT NULL
    )
    (SELECT number FROM sent WHERE number IS NOT NULL LIMIT ${most})
    UNION
    (SELECT number FROM received WHERE number IS NOT NULL LIMIT ${most})`,
  )
  return rows.map(({ number }) => number)
}

const numberRow = z.object({ number: z.string() })
