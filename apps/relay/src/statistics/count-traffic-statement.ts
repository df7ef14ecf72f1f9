import { messageStates } from '@smsgw/contract/messages/message-states'
import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

export interface TrafficBuckets {
  readonly accountId: string
  readonly stepSeconds: number
  /** The start of each time bucket. */
  readonly starts: readonly Date[]
}

/**
 * Counts the messages in each time bucket. Each step of a message is counted at the time of this step. So a message
 * that waits an hour is counted as accepted in one bucket and as sent in another. After a vacuum, each subquery reads
 * only a short index range. Grouping and sorting the whole window would take three times as long (`npm run bench --
 * statistics`). A negative wait, which results from a slow device clock, counts as 0. Takes no locks.
 */
export async function countTraffic(
  statements: Statements,
  { accountId, stepSeconds, starts }: TrafficBuckets,
): Promise<CountedTraffic[]> {
  return await readRows(
    statements,
    trafficRow,
    Prisma.sql`
    SELECT bucket.at, accepted.count AS accepted, sent.count AS sent, delivered.count AS delivered,
      failed.count AS failed, received.count AS received,
      (1000 * extract(epoch FROM sent.waits[1]))::float8 AS p50, (1000 * extract(epoch FROM sent.waits[2]))::float8 AS p95
    FROM unnest(${[...starts]}::timestamptz[]) AS start
    CROSS JOIN LATERAL (SELECT start AS at, start + make_interval(secs => ${stepSeconds}) AS until) AS bucket
    CROSS JOIN LATERAL (
      SELECT count(*)::int FROM messages
      WHERE account_id = ${accountId} AND state = ANY(${[...messageStates]}::message_state[])
        AND created_at >= bucket.at AND created_at < bucket.until
    ) AS accepted
    CROSS JOIN LATERAL (
      SELECT count(*)::int, percentile_cont(ARRAY[0.5, 0.95])
        WITHIN GROUP (ORDER BY greatest(sent_at - greatest(created_at, schedule_at), '0'::interval)) AS waits
      FROM messages
      WHERE account_id = ${accountId} AND sent_at >= bucket.at AND sent_at < bucket.until
    ) AS sent
    CROSS JOIN LATERAL (
      SELECT count(*)::int FROM messages
      WHERE account_id = ${accountId} AND delivered_at >= bucket.at AND delivered_at < bucket.until
    ) AS delivered
    CROSS JOIN LATERAL (
      SELECT count(*)::int FROM messages
      WHERE account_id = ${accountId} AND state = 'Failed' AND failed_at >= bucket.at AND failed_at < bucket.until
    ) AS failed
    CROSS JOIN LATERAL (
      SELECT count(*)::int FROM inbox
      WHERE account_id = ${accountId} AND created_at >= bucket.at AND created_at < bucket.until
    ) AS received
    ORDER BY bucket.at`,
  )
}

const trafficRow = z.object({
  /** Start of the bucket. */
  at: z.date(),
  accepted: z.int(),
  sent: z.int(),
  delivered: z.int(),
  failed: z.int(),
  received: z.int(),
  /** Milliseconds from acceptance, or from the scheduled time, to sending. Null if nothing was sent. */
  p50: z.number().nullable(),
  p95: z.number().nullable(),
})

export type CountedTraffic = z.output<typeof trafficRow>
