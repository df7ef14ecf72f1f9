import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/** The results of attempts to deliver to one receiver. */
export interface HealthUpdate {
  readonly key: bigint
  /** The URL to which the attempts were sent. If the webhook now has another URL, these attempts are not counted. */
  readonly url: string
  /** True if at least one attempt succeeded. */
  readonly isSuccess: boolean
  /** True if the trial after a pause succeeded. */
  readonly isRecovered: boolean
  /** True if the receiver failed too often and has to be paused. Each pause is longer than the previous pause. */
  readonly isOpening: boolean
  /** How long the receiver is paused. 0: no pause. */
  readonly pauseMs: number
}

/**
 * Stores the health of receivers. Returns the receivers that have to be disabled, because all their attempts have
 * failed for `disableAfterMs`. If more than `restMs` has passed since the previous failure, a new failure starts this
 * period again, because nothing was sent between the two failures. Locks rows in the order of their keys.
 */
export async function updateHealth(
  database: Database,
  updates: readonly HealthUpdate[],
  limits: { readonly disableAfterMs: number; readonly restMs: number },
): Promise<readonly bigint[]> {
  const column = <T>(of: (one: HealthUpdate) => T) => updates.map(of)
  const noted = await readRows(
    database,
    healthRow,
    Prisma.sql`
    UPDATE webhooks w SET
      failing_since = CASE WHEN r.is_success THEN NULL
        WHEN w.failed_at > now() - ${limits.restMs}::bigint * interval '1 millisecond' THEN coalesce(w.failing_since, now())
        ELSE now() END,
      failed_at = CASE WHEN r.is_success THEN NULL ELSE now() END,
      pauses = CASE WHEN r.is_recovered THEN 0 WHEN r.is_opening THEN w.pauses + 1 ELSE w.pauses END,
      paused_until = CASE WHEN r.pause_ms > 0
        THEN greatest(w.paused_until, now() + r.pause_ms * interval '1 millisecond') ELSE w.paused_until END
    FROM (
      SELECT r.* FROM unnest(
        ${column(({ key }) => key)}::bigint[], ${column(({ url }) => url)}::text[], ${column(({ isSuccess }) => isSuccess)}::boolean[],
        ${column(({ isRecovered }) => isRecovered)}::boolean[], ${column(({ isOpening }) => isOpening)}::boolean[],
        ${column(({ pauseMs }) => pauseMs)}::bigint[]
      ) AS r (key, url, is_success, is_recovered, is_opening, pause_ms)
      JOIN webhooks ON webhooks.key = r.key AND webhooks.url = r.url ORDER BY r.key FOR NO KEY UPDATE OF webhooks
    ) AS r
    WHERE w.key = r.key
    RETURNING w.key, coalesce(w.failing_since < now() - ${limits.disableAfterMs}::bigint * interval '1 millisecond', false)
      AS "isOver"`,
  )
  return noted.filter(({ isOver }) => isOver).map(({ key }) => key)
}

const healthRow = z.object({ key: z.bigint(), isOver: z.boolean() })
