import { z } from 'zod'
import type { Database, Statements } from '../database.ts'
import { Prisma } from '../generated/client.ts'
import type { RawStatements } from '../raw-statements.ts'
import { readRow } from '../read-rows.ts'

/** The lists whose counts are stored: received messages and webhook deliveries. */
export type CountedList = 'inbox' | 'deliveries'

export interface ListCountFilter {
  readonly list: CountedList
  /** The id of the account for `inbox`, the key of the webhook for `deliveries`. */
  readonly owner: string
  readonly deviceId?: string | undefined
  /** The types of received messages, or the states of deliveries; all of them if it is undefined. */
  readonly kinds?: readonly string[] | undefined
}

const countRow = z.object({ count: z.int().nullable() })

/**
 * Returns the exact number of rows: the counts and the recorded changes at one moment. Returns undefined until the
 * existing rows are counted; then the caller has to count rows. Takes no locks.
 */
export async function countList(statements: Statements, filter: ListCountFilter): Promise<number | undefined> {
  const { list, owner, deviceId, kinds } = filter
  const isOf = Prisma.sql`list = ${list} AND owner = ${owner}
    ${deviceId === undefined ? Prisma.empty : Prisma.sql`AND device_id = ${deviceId}`}
    ${kinds === undefined ? Prisma.empty : Prisma.sql`AND kind = ANY(${[...kinds]}::text[])`}`
  const { count } = await readRow(
    statements,
    countRow,
    Prisma.sql`
    SELECT (CASE WHEN EXISTS (SELECT FROM list_count_progress WHERE list = ${list} AND is_counted) THEN
      (SELECT coalesce(sum(count), 0) FROM list_counts WHERE ${isOf})
      + (SELECT coalesce(sum(change), 0) FROM list_count_changes WHERE ${isOf}) END)::int AS count`,
  )
  return count ?? undefined
}

const neededRow = z.object({ isNeeded: z.boolean() })

/** Returns true if there are recorded changes, or if existing rows are not counted yet. Takes no locks. */
export async function areListCountsBehind(statements: RawStatements): Promise<boolean> {
  const { isNeeded } = await readRow(
    statements,
    neededRow,
    Prisma.sql`
    SELECT EXISTS (SELECT FROM list_count_changes)
      OR (SELECT count(*) FROM list_count_progress WHERE is_counted) < ${lists.length} AS "isNeeded"`,
  )
  return isNeeded
}

/**
 * Adds up to `most` recorded changes to the counts, and returns how many. A total is the same before and after this
 * statement. Locks: the changes, and the counts that they change; changes that are locked are left for the next run.
 */
export async function addListChanges(statements: Statements, most: number): Promise<number> {
  const { taken } = await readRow(
    statements,
    takenRow,
    Prisma.sql`
    WITH taken AS (
      DELETE FROM list_count_changes WHERE id IN (
        SELECT id FROM list_count_changes ORDER BY id LIMIT ${most} FOR UPDATE SKIP LOCKED)
      RETURNING list, owner, device_id, kind, change
    ), added AS (
      SELECT list, owner, device_id, kind, sum(change)::bigint AS change FROM taken
      GROUP BY list, owner, device_id, kind HAVING sum(change) <> 0
      ORDER BY list, owner, device_id, kind
    ), written AS (
      INSERT INTO list_counts AS c (list, owner, device_id, kind, count)
      SELECT list, owner, device_id, kind, change FROM added
      ON CONFLICT (list, owner, device_id, kind) DO UPDATE SET count = c.count + excluded.count
    )
    SELECT count(*)::int AS taken FROM taken`,
  )
  return taken
}

const takenRow = z.object({ taken: z.int() })

/** Each list with its rows: the owner, the device and the kind of each. */
const rowsOf: Readonly<Record<CountedList, (owner: string) => Prisma.Sql>> = {
  inbox: (owner) => Prisma.sql`SELECT device_id, type AS kind FROM inbox WHERE account_id = ${owner}`,
  deliveries: (owner) =>
    Prisma.sql`SELECT '' AS device_id, state AS kind FROM webhook_deliveries WHERE webhook_key = ${owner}::bigint`,
}

export const lists = Object.keys(rowsOf) as readonly CountedList[]

export async function ownersOf(database: Database, list: CountedList): Promise<readonly string[]> {
  if (list === 'inbox') return (await database.account.findMany({ select: { id: true } })).map(({ id }) => id)
  return (await database.webhook.findMany({ select: { key: true } })).map(({ key }) => String(key))
}

/** The longest time for counting the rows of one account or webhook. 50 million rows take about 10 s. */
export const COUNTING_MS = 600_000

/**
 * Locks the progress of a list until the end of the transaction, whose statements may then take `COUNTING_MS`. So two
 * relays never correct the same difference, which would add it twice.
 */
export async function lockListProgress(statements: RawStatements, list: CountedList): Promise<void> {
  await statements.$executeRaw`INSERT INTO list_count_progress (list) VALUES (${list}) ON CONFLICT DO NOTHING`
  await statements.$executeRaw`
    SELECT set_config('statement_timeout', ${String(COUNTING_MS)}, true)
    FROM (SELECT FROM list_count_progress WHERE list = ${list} FOR UPDATE) AS locked`
}

/**
 * Compares the counts of an owner with the rows at one moment, and records each difference as a change, like a trigger.
 * Returns the number of wrong counts. Must run after `lockListProgress`. Locks only the rows that it adds.
 */
export async function correctListCounts(statements: RawStatements, list: CountedList, owner: string): Promise<number> {
  const isOf = Prisma.sql`list = ${list} AND owner = ${owner}`
  return await statements.$executeRaw`
    WITH stored AS (
      SELECT device_id, kind, sum(count) AS count FROM (
        SELECT device_id, kind, count FROM list_counts WHERE ${isOf}
        UNION ALL
        SELECT device_id, kind, change FROM list_count_changes WHERE ${isOf}
      ) AS one GROUP BY device_id, kind
    ), actual AS (
      SELECT device_id, kind, count(*) AS count FROM (${rowsOf[list](owner)}) AS row GROUP BY device_id, kind
    )
    INSERT INTO list_count_changes (list, owner, device_id, kind, change)
    SELECT ${list}, ${owner}, device_id, kind, coalesce(actual.count, 0) - coalesce(stored.count, 0)
    FROM stored FULL JOIN actual USING (device_id, kind)
    WHERE coalesce(actual.count, 0) <> coalesce(stored.count, 0)`
}

/** Deletes counts without rows, and those of removed accounts and webhooks. Locks: these counts. */
export async function deleteEmptyListCounts(statements: Statements): Promise<void> {
  await statements.$executeRaw`
    DELETE FROM list_counts c WHERE count = 0
      OR (list = 'inbox' AND NOT EXISTS (SELECT FROM accounts WHERE id = c.owner))
      OR (list = 'deliveries' AND NOT EXISTS (SELECT FROM webhooks WHERE key::text = c.owner))`
}
