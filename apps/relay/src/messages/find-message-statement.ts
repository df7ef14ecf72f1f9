import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import { type StoredMessage, storedMessage, storedMessageColumns } from './stored-message.ts'

/** Finds a message of the account by its id. Takes no locks. */
export async function findMessage(
  statements: Statements,
  accountId: string,
  id: string,
): Promise<StoredMessage | undefined> {
  const [message] = await readRows(
    statements,
    storedMessage,
    Prisma.sql`SELECT ${storedMessageColumns} FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`,
  )
  return message
}
