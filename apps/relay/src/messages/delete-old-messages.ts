import { defaultSettings } from '@smsgw/contract/settings'
import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'

interface DeleteOldMessagesDeps {
  readonly database: Database
  readonly clock: Clock
}

/** Small, so that others do not wait for it and a standby keeps up. */
const BATCH = 500

/**
 * Deletes messages that were finished longer ago than their account keeps them, with all related rows, for all
 * accounts. Returns how many. Locked messages are left for the next run.
 */
export async function deleteOldMessages({ database, clock }: DeleteOldMessagesDeps): Promise<number> {
  const now = clock.now()
  let deleted = 0
  for (;;) {
    const count = await database.$executeRaw`
      DELETE FROM messages WHERE key IN (
        SELECT old.key FROM accounts CROSS JOIN LATERAL (
          SELECT key FROM messages
          WHERE account_id = accounts.id AND finished_at < ${now}::timestamptz - make_interval(days => coalesce(
            (accounts.settings #>> '{messages,log_lifetime_days}')::int, ${defaultSettings.messages.log_lifetime_days}))
          ORDER BY finished_at LIMIT ${BATCH}
          FOR UPDATE SKIP LOCKED
        ) AS old
        LIMIT ${BATCH}
      )`
    deleted += count
    if (count < BATCH) return deleted
  }
}
