import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow } from '../store/read-rows.ts'

/**
 * Counts the unread messages of an account and their senders. Reads only the index of unread messages. Takes no locks.
 */
export function countUnread(statements: Statements, accountId: string): Promise<z.output<typeof totalsRow>> {
  return readRow(
    statements,
    totalsRow,
    Prisma.sql`
    SELECT count(*)::int AS messages, count(DISTINCT sender)::int AS conversations
    FROM inbox WHERE account_id = ${accountId} AND is_unread`,
  )
}

const totalsRow = z.object({ messages: z.int(), conversations: z.int() })
