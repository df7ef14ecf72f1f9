import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import { type ConversationFilter, conditionOf, joinStates } from './conversation-filter.ts'

/**
 * Reads at most `most` numbers that a filter selects, without reading messages. Returns undefined if the filter also selects
 * conversations about which nothing was decided. Takes no locks.
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

/** Selects the smallest set of numbers that contains those of the filter. */
function sourceOf(accountId: string, { folder, unread, label, assignee }: ConversationFilter): Prisma.Sql | undefined {
  if (unread === true)
    return Prisma.sql`SELECT DISTINCT sender AS number FROM inbox WHERE account_id = ${accountId} AND is_unread`
  if (label !== undefined)
    return Prisma.sql`
      SELECT number FROM conversation_labels WHERE account_id = ${accountId} AND label_id = ${label}`
  if (assignee !== undefined)
    return Prisma.sql`SELECT number FROM conversation_states WHERE account_id = ${accountId} AND assignee = ${assignee}`
  if (folder === 'archived' || folder === 'blocked')
    return Prisma.sql`
      SELECT number FROM conversation_states
      WHERE account_id = ${accountId} AND (archived_at IS NOT NULL OR blocked_at IS NOT NULL)`
  return undefined
}

const numberRow = z.object({ number: z.string() })
