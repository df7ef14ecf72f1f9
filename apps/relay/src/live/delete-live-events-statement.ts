import type { Database } from '../store/database.ts'

/** How long events are kept. A client that was disconnected for longer reloads everything. */
const KEPT_SECONDS = 2 * 3_600

/**
 * Deletes old events, and the entries of accounts that are no longer watched. A client with a cursor to a deleted event
 * gets a `reset`. Locks only the deleted rows and the entries of accounts whose events were deleted.
 */
export async function deleteOldLiveEvents(database: Database): Promise<void> {
  await database.$executeRaw`DELETE FROM live_accounts WHERE until < now()`
  await database.$executeRaw`
    WITH forgotten AS (
      DELETE FROM live_events WHERE at < now() - ${KEPT_SECONDS}::int * interval '1 second' RETURNING account_id, id
    ), last AS (
      SELECT account_id, max(id) AS id FROM forgotten GROUP BY account_id
    )
    UPDATE live_accounts SET since_id = greatest(since_id, last.id)
    FROM last WHERE last.account_id = live_accounts.account_id`
}
