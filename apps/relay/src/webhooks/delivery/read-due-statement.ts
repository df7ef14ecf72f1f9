import type { Database } from '../../store/database.ts'
import { isInTurn } from '../outbox/event-turn.ts'

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
  readonly version: number
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
        d.version
      FROM webhook_deliveries d
      WHERE d.webhook_key = receiver.key AND d.state = 'waiting'
        AND d.next_attempt_at <= now() + interval '1 millisecond'
          AND d.key NOT IN (SELECT held.key FROM unnest(${[...held]}::bigint[]) AS held (key))
          AND ${isInTurn}
      ORDER BY d.next_attempt_at LIMIT receiver.size
    ) AS due`
}
