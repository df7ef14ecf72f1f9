import { defaultSettings } from '@smsgw/contract/settings'
import type { Statements } from '../store/database.ts'

/**
 * Deletes some of the messages that were finished longer ago than their account keeps them, with all related rows, for
 * all accounts. Returns how many.
 *
 * SKIP LOCKED: a locked message is being changed or read for its webhooks; it is deleted by the next run.
 */
export function deleteOutdated(statements: Statements, now: Date, limit: number): Promise<number> {
  return statements.$executeRaw`
    DELETE FROM messages WHERE key IN (
      SELECT old.key FROM accounts CROSS JOIN LATERAL (
        SELECT key FROM messages
        WHERE account_id = accounts.id AND finished_at < ${now}::timestamptz - make_interval(days => coalesce(
          (accounts.settings #>> '{messages,log_lifetime_days}')::int, ${defaultSettings.messages.log_lifetime_days}))
        ORDER BY finished_at LIMIT ${limit}
        FOR UPDATE SKIP LOCKED
      ) AS old
      LIMIT ${limit}
    )`
}
