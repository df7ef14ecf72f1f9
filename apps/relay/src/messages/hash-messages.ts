import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'

interface HashMessagesNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly hashAfterSeconds: number
}

const BATCH = 500

/**
 * Replaces content and numbers of messages that are finished, of all accounts, by their hashes. Texts do not leave the
 * database for it. Gives how many messages.
 *
 * Locks messages before their recipients, as everybody does, and skips those that are being changed: the next run has them.
 */
export async function hashMessages({ database, clock, hashAfterSeconds }: HashMessagesNeeds): Promise<number> {
  const finishedBefore = new Date(clock.now().getTime() - hashAfterSeconds * 1000)
  let hashed = 0
  for (;;) {
    const count = await database.$executeRaw`
      WITH due AS MATERIALIZED (
        SELECT key FROM messages
        WHERE finished_at IS NOT NULL AND content_hash IS NULL AND finished_at <= ${finishedBefore}
        ORDER BY finished_at LIMIT ${BATCH}
        FOR NO KEY UPDATE SKIP LOCKED
      ), numbers AS (
        UPDATE recipients SET phone_number = left(encode(sha256(convert_to(phone_number, 'UTF8')), 'hex'), 16)
        FROM due WHERE message_key = due.key
      )
      UPDATE messages SET content_hash = encode(sha256(coalesce(data, convert_to(text, 'UTF8'))), 'hex'),
        text = NULL, data = NULL
      FROM due WHERE messages.key = due.key`
    hashed += count
    if (count < BATCH) return hashed
  }
}
