import type { Statements } from '../store/database.ts'
import type { Visibility } from './visibility.ts'

/** A message of a conversation and its position among the messages of its direction. */
export interface EntryPlace {
  readonly direction: 'in' | 'out'
  readonly key: bigint
  readonly at: Date
}

/**
 * Finds a message by its id. Returns undefined if the conversation does not contain it, or the caller may not see it.
 */
export async function findEntry(
  statements: Statements,
  { accountId, sent, received }: Visibility,
  number: string,
  id: string,
): Promise<EntryPlace | undefined> {
  const where = { accountId_id: { accountId, id } }
  const item = received
    ? await statements.inboxItem.findUnique({ where, select: { key: true, createdAt: true, sender: true } })
    : null
  if (item?.sender === number) return { direction: 'in', key: item.key, at: item.createdAt }
  const recipients = { where: { phoneNumber: number }, select: { cmdId: true }, take: 1 }
  const message = sent
    ? await statements.message.findUnique({ where, select: { key: true, createdAt: true, recipients } })
    : null
  if (message === null || message.recipients.length === 0) return undefined
  return { direction: 'out', key: message.key, at: message.createdAt }
}
