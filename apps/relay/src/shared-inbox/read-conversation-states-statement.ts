import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import { joinStates } from './conversation-filter.ts'

const stateRow = z.object({
  number: z.string(),
  archivedAt: z.date().nullable(),
  blockedAt: z.date().nullable(),
  assignee: z.string().nullable(),
  unread: z.int(),
  labels: z.array(z.string()),
  notes: z.int(),
})

export type StoredState = Readonly<z.output<typeof stateRow>>

/**
 * Reads labels, notes, assignee and archiving of these conversations, and counts their unread messages. Takes no locks.
 */
export async function readConversationStates(
  statements: Statements,
  accountId: string,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, StoredState>> {
  const rows = await readRows(
    statements,
    stateRow,
    Prisma.sql`
    SELECT given.number, s.archived_at AS "archivedAt", s.blocked_at AS "blockedAt", s.assignee,
      (SELECT count(*)::int FROM inbox i
        WHERE i.account_id = ${accountId} AND i.sender = given.number AND i.is_unread) AS unread,
      (SELECT coalesce(array_agg(l.id ORDER BY l.name), '{}')
        FROM conversation_labels c JOIN labels l ON l.id = c.label_id
        WHERE c.account_id = ${accountId} AND c.number = given.number) AS labels,
      (SELECT count(*)::int FROM conversation_notes n
        WHERE n.account_id = ${accountId} AND n.number = given.number) AS notes
    FROM unnest(${numbers}::text[]) AS given (number) ${joinStates(accountId)}`,
  )
  return new Map(rows.map((row) => [row.number, row]))
}
