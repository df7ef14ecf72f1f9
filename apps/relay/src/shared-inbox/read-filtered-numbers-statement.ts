import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import { type ConversationFilter, conditionOf, joinStates, sourceOf } from './conversation-filter.ts'

/**
 * Reads at most `most` numbers that a filter selects, without reading messages. Returns undefined if the filter also
 * selects conversations without a row in `conversation_states`. Takes no locks.
 */
export async function readFilteredNumbers(
  statements: Statements,
  accountId: string,
  filter: ConversationFilter,
  most: number,
): Promise<string[] | undefined> {
  const source = sourceOf(accountId, filter)
  if (source === undefined) return undefined
  const rows = await readRows(
    statements,
    numberRow,
    Prisma.sql`
    SELECT given.number FROM (${source}) AS given ${joinStates(accountId)}
    WHERE ${conditionOf(accountId, filter) ?? Prisma.sql`true`} LIMIT ${most}`,
  )
  return rows.map(({ number }) => number)
}

const numberRow = z.object({ number: z.string() })
