import type { Database } from '../../store/database.ts'

export interface DueDelivery {
  readonly key: bigint
  readonly webhookKey: bigint
  readonly id: string
  readonly deviceId: string
  readonly event: string
  readonly payload: unknown
  /** Before this one. */
  readonly attempts: number
  /** How long ago it happened. */
  readonly ageSeconds: number
  /** Another one: somebody has changed the row since, and what came of this attempt does not count for it. */
  readonly version: string
}

/**
 * What may be sent now, the longest due first, of receivers that this worker serves: nobody else reads these, so that
 * nothing is locked or marked. Of one that was disabled or taken away meanwhile there is nothing.
 *
 * @param worker the number of this worker
 * @param sizes how many of each receiver
 * @param held those that this worker has already
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
      ORDER BY d.next_attempt_at LIMIT receiver.size
    ) AS due`
}
