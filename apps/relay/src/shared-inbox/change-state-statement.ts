import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * Takes a lock that delays received messages from this number, and other changes of this conversation, until the
 * transaction ends. Waits for received messages that are being stored, because a trigger of `inbox` takes the same lock
 * in shared mode.
 */
export async function lockConversation(statements: Statements, accountId: string, number: string): Promise<void> {
  await statements.$executeRaw`
    SELECT pg_advisory_xact_lock(1936554600, hashtext(${accountId} || ' ' || ${number}) & 63)`
}

/** Creates or locks the row of a conversation, so that it cannot be deleted until the transaction ends. */
export async function addState(statements: Statements, accountId: string, number: string): Promise<void> {
  await statements.$executeRaw`
    INSERT INTO conversation_states (account_id, number) VALUES (${accountId}, ${number})
    ON CONFLICT (account_id, number) DO UPDATE SET number = excluded.number`
}

/** Locks labels of an account, so that they cannot be deleted until the transaction ends. Returns their ids. */
export async function lockLabels(
  statements: Statements,
  accountId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await readRows(
    statements,
    idRow,
    Prisma.sql`
    SELECT id FROM labels WHERE account_id = ${accountId} AND id = ANY(${ids}::text[]) ORDER BY id FOR KEY SHARE`,
  )
  return rows.map(({ id }) => id)
}

const idRow = z.object({ id: z.string() })

/** Marks received messages as read: all messages, or the messages up to a position in the conversation. */
export async function markRead(
  statements: Statements,
  accountId: string,
  number: string,
  upTo?: { readonly at: Date; readonly key: bigint },
): Promise<void> {
  const bound =
    upTo === undefined ? Prisma.empty : Prisma.sql`AND (created_at, key) <= (${upTo.at}, ${upTo.key}::bigint)`
  await statements.$executeRaw`
    UPDATE inbox SET is_unread = false WHERE key IN (
      SELECT key FROM inbox WHERE account_id = ${accountId} AND sender = ${number} AND is_unread ${bound}
      ORDER BY key FOR NO KEY UPDATE)`
}

/** Marks the last received message as unread. */
export async function markUnread(statements: Statements, accountId: string, number: string): Promise<void> {
  await statements.$executeRaw`
    UPDATE inbox SET is_unread = true WHERE NOT is_unread AND key = (
      SELECT key FROM inbox WHERE account_id = ${accountId} AND sender = ${number}
      ORDER BY created_at DESC, key DESC LIMIT 1)`
}
