import type { MessageRules } from '../messages/accept/check-message.ts'
import { storedSpellings } from '../messages/accept/phone-number.ts'
import { findLastKey } from '../messages/by-number/find-last-key-statement.ts'
import type { Database } from '../store/database.ts'

/** Returns the number as it was written, if messages have this spelling. Otherwise returns the normalised number. */
export async function storedNumber(
  database: Database,
  accountId: string,
  written: string,
  { defaultRegion }: Pick<MessageRules, 'defaultRegion'>,
): Promise<string> {
  const [asWritten = '', normalised] = storedSpellings(written, defaultRegion)
  if (normalised === undefined) return asWritten
  const [sent, received] = await Promise.all([
    findLastKey(database, accountId, asWritten),
    database.inboxItem.findFirst({ where: { accountId, sender: asWritten }, select: { id: true } }),
  ])
  return sent !== undefined || received !== null ? asWritten : normalised
}
