import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * How long events are written after the last client has left. The API promises an hour, so this time is a little
 * longer.
 */
const WATCHED_SECONDS = 70 * 60
/**
 * For this time after a watch begins, transactions that cannot see the watch may still be running. So another client
 * also has to wait for them.
 */
const NEW_SECONDS = 60

const watched = z.object({
  /** True if the watch has just begun. */
  isNew: z.boolean(),
  /** The number after which every change of the account is recorded as an event. */
  sinceId: z.bigint(),
})

export type Watched = Readonly<z.output<typeof watched>>

/**
 * Watches an account: after the commit, every change of the account writes an event. A new watch starts at a new event
 * number, because changes between the previous watch and this one wrote no events. Returns undefined when the account
 * does not exist. Locks the entry of the account.
 */
export async function watchAccount(statements: Statements, accountId: string): Promise<Watched | undefined> {
  const [row] = await readRows(
    statements,
    watched,
    Prisma.sql`
    INSERT INTO live_accounts AS live (account_id, until, since_id)
    SELECT id, now() + ${WATCHED_SECONDS}::int * interval '1 second',
      nextval('live_events_id_seq')
    FROM accounts WHERE id = ${accountId}
    ON CONFLICT (account_id) DO UPDATE SET until = excluded.until
    RETURNING live.since > now() - ${NEW_SECONDS}::int * interval '1 second' AS "isNew", since_id AS "sinceId"`,
  )
  return row
}

/** Extends the watch of accounts with connected clients. Locks their entries. */
export async function extendWatch(statements: Statements, accountIds: readonly string[]): Promise<void> {
  await statements.$executeRaw`
    UPDATE live_accounts SET until = now() + ${WATCHED_SECONDS}::int * interval '1 second'
    WHERE account_id = ANY(${accountIds}::text[])`
}
