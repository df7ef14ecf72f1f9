import { defaultSettings } from '@smsgw/contract/relay/settings'
import { oldestWithinBytes, sentBytes } from '../attachments/within-bytes.ts'
import type { Clock } from '../clock.ts'
import { keepOrder } from '../conversation-order/update-order-statement.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'

interface DeleteOldMessagesDeps {
  readonly database: Statements
  readonly clock: Clock
}

/**
 * The number of rows per transaction. It is small, so that other transactions do not wait long and a standby server can
 * follow.
 */
const BATCH = 500

/**
 * Deletes the messages whose retention time is over, for all accounts, with all related rows. Returns their number.
 *
 * SKIP LOCKED leaves out messages that are being changed or read for their webhooks. The next run deletes them.
 */
export async function deleteOldMessages({ database, clock }: DeleteOldMessagesDeps): Promise<number> {
  const now = clock.now()
  for (let deleted = 0; ; ) {
    const count = await database.$executeRaw`
      DELETE FROM messages WHERE ${keepOrder} AND key IN (${oldestWithinBytes(Prisma.sql`
        SELECT old.* FROM accounts CROSS JOIN LATERAL (
          SELECT key, finished_at AS at, ${sentBytes} FROM messages
          WHERE account_id = accounts.id AND finished_at < ${now}::timestamptz - make_interval(days => coalesce(
            (accounts.settings #>> '{messages,log_lifetime_days}')::int, ${defaultSettings.messages.log_lifetime_days}))
          ORDER BY finished_at LIMIT ${BATCH}
          FOR UPDATE SKIP LOCKED
        ) AS old
        LIMIT ${BATCH}`)})`
    deleted += count
    // Stops only at 0: a statement may delete fewer than BATCH messages because of large attachments.
    if (count === 0) return deleted
  }
}
