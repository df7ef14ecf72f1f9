import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'

export interface DueDelivery {
  readonly key: bigint
  readonly webhookKey: bigint
  readonly id: string
  readonly deviceId: string
  readonly event: string
  readonly payload: unknown
  /** Before this one. */
  readonly attempts: number
  /** Age of the event. */
  readonly ageSeconds: number
  /** The row version: if the row was changed since, the result of this attempt does not count for it. */
  readonly version: string
}

/**
 * Reads due deliveries, longest due first, of receivers served by this worker. No other worker reads them, so nothing
 * is locked or marked. Disabled receivers and those taken by another worker yield none.
 *
 * @param worker the number of this worker
 * @param sizes how many to read for each receiver
 * @param held deliveries that this worker has already
 */
export function readDue(
  database: Database,
  worker: number,
  sizes: ReadonlyMap<bigint, number>,
  held: readonly bigint[],
): Promise<DueDelivery[]> {
  return database.$queryRaw<DueDelivery[]>`
    SELECT due.* FROM unnest(${[...sizes.keys()]}::bigint[], ${[...sizes.values()]}::int[]) AS receiver (key, size)
    JOIN webhooks w ON w.key = receiver.key AND w.served_by = ${worker} AND w.disabled_at IS NULL
    CROSS JOIN LATERAL (
      SELECT d.key, d.webhook_key AS "webhookKey", d.id, d.device_id AS "deviceId", d.event, d.payload, d.attempts,
        extract(epoch FROM now() - d.created_at)::float8 AS "ageSeconds",
        d.xmin::text AS version
      FROM webhook_deliveries d
      WHERE d.webhook_key = receiver.key AND d.state = 'waiting'
        AND d.next_attempt_at <= now() + interval '1 millisecond'
          AND d.key NOT IN (SELECT held.key FROM unnest(${[...held]}::bigint[]) AS held (key))
          AND ${isInTurn}
      ORDER BY d.next_attempt_at LIMIT receiver.size
    ) AS due`
}

/**
 * Condition: delivery `d` may be attempted, because the first attempt of the event it follows (same message, same
 * receiver) has ended. It does not wait for a paused or failing receiver, and at most 30 s, which limits the rows that
 * each read skips. Deliveries of other messages never wait.
 *
 * Costs one index look-up for each due delivery that follows another, and nothing for the others.
 */
export const isInTurn = Prisma.sql`(d.follows_id IS NULL OR d.tries > 0
  OR d.created_at NOT BETWEEN now() - interval '30 seconds' AND now()
  OR NOT EXISTS (
    SELECT FROM webhook_deliveries first JOIN webhooks w1 ON w1.key = first.webhook_key
    WHERE first.webhook_key = d.follows_webhook_key AND first.id = d.follows_id
      AND first.state = 'waiting' AND first.tries = 0
      AND w1.disabled_at IS NULL AND w1.pauses = 0 AND (w1.paused_until IS NULL OR w1.paused_until <= now())))`
