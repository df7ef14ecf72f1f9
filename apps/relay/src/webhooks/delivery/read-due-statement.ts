import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import { isInTurn } from '../outbox/event-turn.ts'

const dueDelivery = z.object({
  key: z.bigint(),
  webhookKey: z.bigint(),
  id: z.string(),
  deviceId: z.string(),
  event: z.string(),
  payload: z.unknown(),
  /** The number of attempts so far. */
  attempts: z.int(),
  /** Age of the event. */
  ageSeconds: z.number(),
  /** The version of the row. If the row changes later, the result of this attempt is not recorded. */
  version: z.int(),
})

export type DueDelivery = Readonly<z.output<typeof dueDelivery>>

/**
 * Reads due deliveries, oldest first, for receivers that this worker serves. No other worker reads them, so nothing is
 * locked or marked. Returns no deliveries for a receiver that is disabled, that a user has paused, or that another
 * worker has taken.
 *
 * @param worker the number of this worker
 * @param sizes the number of deliveries to read for each receiver
 * @param held the deliveries that this worker already has
 */
export function readDue(
  statements: RawStatements,
  worker: number,
  sizes: ReadonlyMap<bigint, number>,
  held: readonly bigint[],
): Promise<DueDelivery[]> {
  return readRows(
    statements,
    dueDelivery,
    Prisma.sql`
    SELECT due.* FROM unnest(${[...sizes.keys()]}::bigint[], ${[...sizes.values()]}::int[]) AS receiver (key, size)
    JOIN webhooks w ON w.key = receiver.key AND w.served_by = ${worker} AND w.disabled_at IS NULL
      AND w.held_since IS NULL
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
    ) AS due`,
  )
}
