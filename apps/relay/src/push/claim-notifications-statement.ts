import { z } from 'zod'
import type { Database } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

const claimedRow = z.object({
  key: z.bigint(),
  subscriptionId: z.string(),
  kind: z.string(),
  topic: z.string(),
  about: z.string(),
  text: z.string().nullable(),
  subjectId: z.string().nullable(),
  /** The number of attempts, including this attempt. */
  attempts: z.int(),
  ageSeconds: z.number(),
})

export type ClaimedNotification = Readonly<z.output<typeof claimedRow>>

/** How long a claim is valid. This is longer than a request and the statement that records its result. */
const CLAIMED_SECONDS = 60

/**
 * Claims due notifications, oldest first. If the relay is killed before it records the results, the notifications are
 * due again after a minute.
 *
 * Locks: the rows, for this statement only. SKIP LOCKED leaves out rows that another relay is claiming.
 */
export function claimNotifications(database: Database, limit: number): Promise<ClaimedNotification[]> {
  return readRows(
    database,
    claimedRow,
    Prisma.sql`
    WITH due AS MATERIALIZED (
      SELECT n.key FROM push_notifications n WHERE n.next_attempt_at <= now()
      ORDER BY n.next_attempt_at, n.key LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE push_notifications n SET attempts = n.attempts + 1,
      next_attempt_at = now() + make_interval(secs => ${CLAIMED_SECONDS})
    FROM due WHERE n.key = due.key
    RETURNING n.key, n.subscription_id AS "subscriptionId", n.kind, n.topic, n.about, n.text, n.subject_id AS "subjectId",
      n.attempts, extract(epoch FROM now() - n.created_at)::float8 AS "ageSeconds"`,
  )
}
