import { z } from 'zod'
import { firstRows } from '../http/list-rows-statement.ts'
import { type ConversationFilter, conditionOf, joinStates, sourceOf } from '../shared-inbox/conversation-filter.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow, readRows } from '../store/read-rows.ts'

const unordered = z.object({ numbers: z.array(z.string()).readonly(), count: z.int() })

/**
 * Reads the numbers of an account whose position in the order may be wrong. These numbers come from the queue, and from
 * messages that arrived after the last run of the job. `count` also counts the numbers of other accounts. A `count`
 * above `most` is not exact. Takes no locks.
 */
export function readUnordered(
  statements: Statements,
  accountId: string,
  most: number,
): Promise<Readonly<z.output<typeof unordered>>> {
  // A parameter would hide the limit from the planner. With many messages, PostgreSQL would plan each request again.
  const limit = Prisma.raw(`LIMIT ${most + 1}`)
  return readRow(
    statements,
    unordered,
    Prisma.sql`
    WITH late AS MATERIALIZED (
      (SELECT account_id, phone_number AS number FROM recipients
        WHERE message_key > (SELECT coalesce(max(sent_key), 0) FROM conversation_order_progress) ORDER BY message_key ${limit})
      UNION ALL
      (SELECT account_id, sender FROM inbox
        WHERE key > (SELECT coalesce(max(received_key), 0) FROM conversation_order_progress) ORDER BY key ${limit})
      UNION ALL
      (SELECT account_id, number FROM conversation_order_queue ORDER BY key ${limit})
    )
    SELECT coalesce(array_agg(DISTINCT number) FILTER (WHERE account_id = ${accountId}), '{}') AS numbers,
      count(*)::int AS count
    FROM late`,
  )
}

const placeRow = z.object({ number: z.string(), at: z.date() })

/** The time of the last message of a conversation. Conversations with the same time are ordered by number. */
export type OrderPlace = Readonly<z.output<typeof placeRow>>

/**
 * If the filters for labels, assignee or unread messages select fewer conversations than this, the selected
 * conversations are sorted. Otherwise the order is read from the index.
 */
const MOST_SORTED = 20_000

/**
 * Reads the conversations that the filter selects and that come before a position, newest first, in the order that the
 * last run of the job stored. Takes no locks.
 */
export async function readOrder(
  statements: Statements,
  accountId: string,
  { folder, ...others }: ConversationFilter,
  before: OrderPlace,
  take: number,
): Promise<OrderPlace[]> {
  const source = sourceOf(accountId, others)
  const isSorted = source !== undefined && (await isAtMost(statements, source, MOST_SORTED))
  // Reads all unread senders at once, which is faster than a look-up for each conversation.
  const isRead = others.unread === false
  const condition = conditionOf(accountId, isRead ? { ...others, unread: undefined } : others)
  const folders = FOLDERS.filter((one) => folder === undefined || one === folder)
  // The index orders the conversations of one folder.
  const scans = (isSorted ? [folders] : folders.map((one) => [one])).map(
    (some) => Prisma.sql`
      SELECT given.ordered AS number, given.last_at AS at
      FROM ${isSorted ? Prisma.sql`selected JOIN ${ORDER} ON given.ordered = selected.number COLLATE "C"` : ORDER}
        ${condition === undefined ? Prisma.empty : joinStates(accountId)}
      WHERE given.account_id = ${accountId} AND given.folder IN (${Prisma.join(some)})
        AND (given.last_at, given.ordered) < (${before.at}, ${before.number}::text COLLATE "C")
        ${condition === undefined ? Prisma.empty : Prisma.sql`AND ${condition}`}
        ${isRead ? Prisma.sql`AND NOT EXISTS (SELECT FROM unread WHERE unread.number = given.ordered)` : Prisma.empty}
      ORDER BY given.last_at DESC, given.ordered DESC`,
  )
  const parts = scans.map((scan) => Prisma.sql`(${firstRows(scan, take)})`)
  return await readRows(
    statements,
    placeRow,
    Prisma.sql`
    WITH selected AS MATERIALIZED (${isSorted ? source : NOTHING}), unread AS MATERIALIZED (
      SELECT DISTINCT sender COLLATE "C" AS number FROM inbox WHERE ${isRead} AND account_id = ${accountId} AND is_unread)
    SELECT number, at FROM (${Prisma.join(parts, ' UNION ALL ')}) AS one ORDER BY at DESC, number DESC LIMIT ${take}`,
  )
}

const FOLDERS = ['inbox', 'archived', 'blocked'] as const

/** `ordered` has the collation of the index, and `number` has the collation of the other tables. */
const ORDER = Prisma.sql`(
  SELECT account_id, number COLLATE "default" AS number, number AS ordered, folder, last_at FROM conversation_order
) AS given`

const NOTHING = Prisma.sql`SELECT NULL::text AS number WHERE false`

async function isAtMost(statements: Statements, source: Prisma.Sql, most: number): Promise<boolean> {
  const { count } = await readRow(
    statements,
    countRow,
    Prisma.sql`
    SELECT count(*)::int AS count FROM (SELECT FROM (${source}) AS one LIMIT ${most} + 1) AS counted`,
  )
  return count <= most
}

const countRow = z.object({ count: z.int() })
