import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { bucketOf, bucketsSince, inBucket } from '../by-number/recipients-of-number.ts'
import type { NewMessage } from './accept-messages.ts'

type NewReply = Pick<NewMessage, 'accountId' | 'recipients' | 'createdAt'>

/** Returns a text that identifies the account and the phone number. Replies to this number are counted together. */
export function replyCounter({ accountId, recipients }: Pick<NewReply, 'accountId' | 'recipients'>): string {
  return `${accountId} ${recipients[0]?.phoneNumber}`
}

/**
 * Prevents other transactions from storing replies to the numbers of these messages until this transaction ends, and
 * returns the replies of the last hour by `replyCounter`. Uses advisory locks, because no row contains the count.
 *
 * The locks are taken in the order of their numbers, so that two transactions cannot deadlock. Counting is a second
 * statement, so that it sees the messages that were stored while this transaction waited. A hashed message contains the
 * hash of its number (see hash-batch-statement.ts). The counted period also has an end, because the clock may have been
 * set back.
 */
export async function lockReplies(statements: Statements, replies: readonly NewReply[]): Promise<Map<string, number>> {
  const names = [...new Set(replies.map(replyCounter))]
  const nowMs = Math.max(...replies.map(({ createdAt }) => createdAt.getTime()))
  const since = new Date(nowMs - HOUR_MS)
  await statements.$executeRaw`
    SELECT pg_advisory_xact_lock(${LOCK_CLASS}::int, lock)
      FROM (SELECT DISTINCT hashtext(name) AS lock FROM unnest(${names}::text[]) AS name ORDER BY lock) AS locks`
  const rows = await readRows(
    statements,
    countRow,
    Prisma.sql`
    WITH wanted AS MATERIALIZED (
      SELECT name, split_part(name, ' ', 1) AS account_id, split_part(name, ' ', 2) AS number
        FROM unnest(${names}::text[]) AS name
    )
    SELECT name, (
      SELECT coalesce(sum(one.count), 0)::int
      FROM ${bucketsSince(oldestBucket(since))} CROSS JOIN LATERAL (
        SELECT count(*) AS count FROM recipients r JOIN messages m ON m.key = r.message_key
        WHERE ${inBucket(Prisma.sql`wanted.account_id`, NUMBERS)} AND m.sent_by = 'webhook'
          AND m.created_at > ${since} AND m.created_at < ${new Date(nowMs + HOUR_MS)}
      ) AS one
    ) AS replies FROM wanted`,
  )
  return new Map(rows.map(({ name, replies: count }) => [name, count]))
}

/** A condition for the number of a reply, which may be hashed. */
const NUMBERS = Prisma.sql`IN (number, left(encode(sha256(convert_to(number, 'UTF8')), 'hex'), 16))`

/**
 * The bucket with the first reply since a time, or null without a reply. The bucket before is included, because replies
 * that are stored at the same time need not be in the order of their times.
 */
function oldestBucket(since: Date): Prisma.Sql {
  return Prisma.sql`(
    SELECT ${bucketOf(Prisma.sql`first.key`)} - 1 FROM messages first
    WHERE first.account_id = wanted.account_id AND first.sent_by = 'webhook' AND first.created_at > ${since}
    ORDER BY first.created_at, first.key LIMIT 1)`
}

const HOUR_MS = 3_600_000
/** The class of these locks differs from the numbers of the other advisory locks of the relay. */
const LOCK_CLASS = 1_936_554_601

const countRow = z.object({ name: z.string(), replies: z.int() })
