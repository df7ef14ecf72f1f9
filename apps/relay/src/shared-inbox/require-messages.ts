import { ApiError } from '../http/errors/api-error.ts'
import { findLastKey } from '../messages/by-number/find-last-key-statement.ts'
import type { Statements } from '../store/database.ts'

/** Throws 404 if the account exchanged no message with this number. */
export async function requireMessages(statements: Statements, accountId: string, number: string): Promise<void> {
  const [sent, received] = await Promise.all([
    findLastKey(statements, accountId, number),
    statements.inboxItem.findFirst({ where: { accountId, sender: number }, select: { id: true } }),
  ])
  if (sent === undefined && received === null) throw new ApiError(404, 'No conversation has this number')
}
