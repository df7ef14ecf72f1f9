import { ApiError } from '../http/errors/api-error.ts'
import type { Statements } from '../store/database.ts'

/** Throws 404 if the account exchanged no message with this number. */
export async function requireMessages(statements: Statements, accountId: string, number: string): Promise<void> {
  const [sent, received] = await Promise.all([
    statements.recipient.findFirst({ where: { accountId, phoneNumber: number }, select: { cmdId: true } }),
    statements.inboxItem.findFirst({ where: { accountId, sender: number }, select: { id: true } }),
  ])
  if ((sent ?? received) === null) throw new ApiError(404, 'No conversation has this number')
}
