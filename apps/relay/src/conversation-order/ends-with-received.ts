import { bucketOf, newestBucket } from '../messages/by-number/recipients-of-number.ts'
import { Prisma } from '../store/generated/client.ts'

/** With fewer buckets, searching all of them takes less time than finding out whether this is needed. */
const MANY_BUCKETS = Prisma.raw('4')

/**
 * True if the last message of a conversation came from the number when the order of conversations was updated. Then no
 * message in the order that was sent to this number is later, so the `newBuckets` contain all later ones. False without
 * a row, for example for hashed numbers, and while there are few buckets.
 */
export function endsWithReceived(accountId: Prisma.Sql, number: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${newestBucket} >= ${MANY_BUCKETS} AND EXISTS (
    SELECT FROM conversation_order o WHERE o.account_id = ${accountId} AND o.number = ${number} COLLATE "C"
      AND o.last_at <= (SELECT i.created_at FROM inbox i WHERE i.account_id = ${accountId} AND i.sender = ${number}
        ORDER BY i.created_at DESC, i.key DESC LIMIT 1)))`
}

/** A condition for the buckets with messages that are not in the order yet, which are later than the message `last`. */
export function newBuckets(last: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`bucket.id >= ${bucketOf(last)}`
}
