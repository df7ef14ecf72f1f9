import type { Statements } from '../store/database.ts'

/** So long after the last watcher events are still written down; more than the hour that is promised. */
const GOES_ON_SECONDS = 70 * 60
/** Who comes so soon after the first watcher may be ahead of transactions that do not know of it. */
const NEW_SECONDS = 60

export interface Watched {
  /** It has begun just now. */
  readonly isNew: boolean
  /** After this one every event of the account is there. */
  readonly sinceId: bigint
}

/**
 * From its commit on, changes of the account are written down as events. The number that it takes stands between what was
 * written down before a time without watchers and what is from now on.
 */
export async function watch(statements: Statements, accountId: string): Promise<Watched | undefined> {
  const [row] = await statements.$queryRaw<Watched[]>`
    INSERT INTO live_accounts AS live (account_id, until, since_id)
    SELECT id, now() + ${GOES_ON_SECONDS}::int * interval '1 second',
      nextval('live_events_id_seq')
    FROM accounts WHERE id = ${accountId}
    ON CONFLICT (account_id) DO UPDATE SET until = excluded.until
    RETURNING live.since > now() - ${NEW_SECONDS}::int * interval '1 second' AS "isNew", since_id AS "sinceId"`
  return row
}

/** Of those that are watched still. */
export async function goOnWatching(statements: Statements, accountIds: readonly string[]): Promise<void> {
  await statements.$executeRaw`
    UPDATE live_accounts SET until = now() + ${GOES_ON_SECONDS}::int * interval '1 second'
    WHERE account_id = ANY(${accountIds}::text[])`
}
