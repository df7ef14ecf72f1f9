import type { Database } from '../store/database.ts'

/** Who was away for longer reads everything anew. */
const KEPT_SECONDS = 2 * 3_600

/** Accounts that nobody watches any more, and events that are too old to be asked for: no cursor leads to them then. */
export async function forgetLiveEvents(database: Database): Promise<void> {
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
