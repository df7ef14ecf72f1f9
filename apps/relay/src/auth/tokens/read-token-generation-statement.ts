import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow } from '../../store/read-rows.ts'

/**
 * The largest length of a chain in which each token created the next token. Every check of a token reads the whole
 * chain before it, so a long chain would delay the requests of all accounts.
 */
export const MOST_GENERATIONS = 10

/**
 * Returns the position of a token in the chain of tokens that created each other: 1 if it was created with a password
 * or an API key. Does not count further than MOST_GENERATIONS. Returns 0 if the token is unknown. Takes no locks.
 */
export async function readTokenGeneration(
  database: Statements,
  { accountId, tokenId }: { readonly accountId: string; readonly tokenId: string },
): Promise<number> {
  const { generation } = await readRow(
    database,
    generationRow,
    Prisma.sql`
    WITH RECURSIVE line AS (
      SELECT f.parent_id, 1 AS generation FROM tokens t JOIN token_families f ON f.id = t.family_id
       WHERE t.jti = ${tokenId} AND t.account_id = ${accountId}
      UNION ALL
      SELECT parent.parent_id, line.generation + 1 FROM line JOIN token_families parent ON parent.id = line.parent_id
       WHERE line.generation < ${MOST_GENERATIONS}
    )
    SELECT coalesce(max(generation), 0) AS generation FROM line`,
  )
  return generation
}

const generationRow = z.object({ generation: z.int() })
