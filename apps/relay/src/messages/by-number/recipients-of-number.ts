// The index `recipients_of_number` finds the messages to one number. Its entries are divided into buckets by the key of
// the message, so that storing a message changes only the newest bucket, which fits into memory. A search looks into
// one bucket after the other. See docs/decisions/0024-buckets-of-the-index-by-number.md.
import { Prisma } from '../../store/generated/client.ts'

/** The keys of a bucket differ only in these last bits. The index contains the same expression. */
const BUCKET_BITS = 21

/** The bucket of a message, by its key. */
export function bucketOf(key: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${key} >> ${Prisma.raw(`${BUCKET_BITS}`)})`
}

/** The bucket in which messages are being stored. Keys come from this sequence, so no message is in a later bucket. */
export const newestBucket = Prisma.sql`(SELECT ${bucketOf(Prisma.sql`coalesce(pg_sequence_last_value('messages_key_seq'), 0)`)})`

/**
 * Selects the buckets from one to another as `bucket.id`, in this order. `bucket.place` counts them. PostgreSQL knows
 * that they are ordered by their place, so a statement with a limit does not read the remaining buckets.
 */
export function bucketsBetween(first: Prisma.Sql, last: Prisma.Sql, step: 1 | -1): Prisma.Sql {
  return Prisma.sql`generate_series(${first}, ${last}, ${Prisma.raw(`${step}`)}) WITH ORDINALITY AS bucket (id, place)`
}

/** Selects all buckets, newest first. */
const allBuckets = bucketsBetween(newestBucket, Prisma.sql`0`, -1)

/**
 * Selects the buckets since one of them, for statements that read all of these buckets. PostgreSQL expects ten elements
 * of such an array, but a thousand numbers of a series, and would compile the statement (JIT), which takes 0.5 s.
 */
export function bucketsSince(oldest: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`unnest(ARRAY(SELECT generate_series(${oldest}, ${newestBucket}))) AS bucket (id)`
}

/** A condition for the recipients `r` of a bucket. `numbers` is the condition for their numbers. */
export function inBucket(accountId: Prisma.Sql, numbers: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`r.account_id = ${accountId} AND ${bucketOf(Prisma.sql`r.message_key`)} = bucket.id AND r.phone_number ${numbers}`
}

interface LastMessage {
  /** Columns of the message `m` and of its recipient `r`. */
  readonly columns: Prisma.Sql
  readonly accountId: Prisma.Sql
  readonly number: Prisma.Sql
  /** A condition for the message. */
  readonly condition?: Prisma.Sql
  /** A condition for the buckets to search. */
  readonly buckets?: Prisma.Sql
}

/** Selects the last message to a number that meets the condition. */
export function lastToNumber({
  columns,
  accountId,
  number,
  condition = Prisma.sql`true`,
  buckets = Prisma.sql`true`,
}: LastMessage): Prisma.Sql {
  return Prisma.sql`
    SELECT one.* FROM ${allBuckets} CROSS JOIN LATERAL (
      SELECT ${columns} FROM recipients r JOIN messages m ON m.key = r.message_key
      WHERE ${inBucket(accountId, Prisma.sql`= ${number}`)} AND ${condition}
      ORDER BY r.message_key DESC LIMIT 1
    ) AS one
    WHERE ${buckets} ORDER BY bucket.place LIMIT 1`
}
