import type { Database } from '../../store/database.ts'

/** Revoked and expired keys are listed this long, so that their owner can look them up. */
const KEPT_MS = 90 * 86_400_000
/** Only the usage of the present day is needed. Older rows are kept for a while in case the clock is set back. */
const USAGE_MS = 7 * 86_400_000

/**
 * Deletes keys that ended long ago, unless a message names the key as its sender. The partial index `messages_of_key`
 * finds such a message. Also deletes old usage. Locks only the deleted rows.
 */
export async function deleteEndedKeys(database: Database, now: Date): Promise<void> {
  const endedBefore = new Date(now.getTime() - KEPT_MS)
  await database.$executeRaw`
    DELETE FROM api_keys k
     WHERE (k.revoked_at < ${endedBefore} OR k.expires_at < ${endedBefore})
       AND NOT EXISTS (SELECT FROM messages m WHERE m.account_id = k.account_id AND m.sent_by_key_id = k.id)`
  await database.$executeRaw`DELETE FROM api_key_usage WHERE day < ${new Date(now.getTime() - USAGE_MS)}::date`
}
