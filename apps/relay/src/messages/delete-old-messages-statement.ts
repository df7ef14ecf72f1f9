import { defaultSettings } from '@smsgw/contract/settings'
import { oldestWithinBytes, sentBytes } from '../attachments/within-bytes.ts'
import type { Clock } from '../clock.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'

interface DeleteOldMessagesDeps {
  readonly database: Statements
  readonly clock: Clock
}

/** Rows per transaction. The number is small, so that other transactions do not wait long and a standby server keeps up. */
const BATCH = 500

/**
 * Deletes the messages of all accounts that were finished longer ago than their account keeps them, with all related
 * rows. Returns their number.
 *
 * SKIP LOCKED leaves out messages that are being changed or read for their webhooks. The next run deletes them.
 */
export async function deleteOldMessages({ database, clock }: DeleteOldMessagesDeps): Promise<number> {
  const now = clock.now()
  for (let deleted = 0; ; ) {
    const count = await database.$executeRaw`
      DELETE FROM messages WHERE key IN (${oldestWithinBytes(Prisma.sql`
        SELECT old.* FROM accounts CROSS JOIN LATERAL (
          SELECT key, finished_at AS at, ${sentBytes} FROM messages
          WHERE account_id = accounts.id AND finished_at < ${now}::timestamptz - make_interval(days => coalesce(
            (accounts.settings #>> '{messages,log_lifetime_days}')::int, ${defaultSettings.messages.log_lifetime_days}))
          ORDER BY finished_at LIMIT ${BATCH}
          FOR UPDATE SKIP LOCKED
        ) AS old
        LIMIT ${BATCH}`)})`
    deleted += count
    // A count below BATCH is not the end, because a statement deletes fewer messages if their attachments are large.
    if (count === 0) return deleted
  }
}
