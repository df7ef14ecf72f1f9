import type { Database } from '../../store/database.ts'

/** How attempts went with a receiver. */
export interface HealthNews {
  readonly key: bigint
  /** Where it was then: one that has been moved since has nothing to do with it. */
  readonly url: string
  /** One of them went well. */
  readonly isWell: boolean
  /** The trial after a pause did. */
  readonly isMended: boolean
  /** It failed too often, and is left alone for longer each time. */
  readonly isOpening: boolean
  /** 0: none. */
  readonly pauseMs: number
}

/**
 * Gives those with which nothing but failure has come for so long that they are to be disabled. A failure long after the
 * one before it begins the count anew: nothing was sent in between, which says nothing of the receiver.
 */
export async function noteHealth(
  database: Database,
  news: readonly HealthNews[],
  limits: { readonly disableAfterMs: number; readonly restMs: number },
): Promise<readonly bigint[]> {
  const column = <T>(of: (one: HealthNews) => T) => news.map(of)
  const noted = await database.$queryRaw<{ key: bigint; isOver: boolean }[]>`
    UPDATE webhooks w SET
      failing_since = CASE WHEN r.is_well THEN NULL
        WHEN w.failed_at > now() - ${limits.restMs}::bigint * interval '1 millisecond' THEN coalesce(w.failing_since, now())
        ELSE now() END,
      failed_at = CASE WHEN r.is_well THEN NULL ELSE now() END,
      pauses = CASE WHEN r.is_mended THEN 0 WHEN r.is_opening THEN w.pauses + 1 ELSE w.pauses END,
      paused_until = CASE WHEN r.pause_ms > 0
        THEN greatest(w.paused_until, now() + r.pause_ms * interval '1 millisecond') ELSE w.paused_until END
    FROM (
      SELECT r.* FROM unnest(
        ${column(({ key }) => key)}::bigint[], ${column(({ url }) => url)}::text[], ${column(({ isWell }) => isWell)}::boolean[],
        ${column(({ isMended }) => isMended)}::boolean[], ${column(({ isOpening }) => isOpening)}::boolean[],
        ${column(({ pauseMs }) => pauseMs)}::bigint[]
      ) AS r (key, url, is_well, is_mended, is_opening, pause_ms)
      JOIN webhooks ON webhooks.key = r.key AND webhooks.url = r.url ORDER BY r.key FOR NO KEY UPDATE OF webhooks
    ) AS r
    WHERE w.key = r.key
    RETURNING w.key, coalesce(w.failing_since < now() - ${limits.disableAfterMs}::bigint * interval '1 millisecond', false)
      AS "isOver"`
  return noted.filter(({ isOver }) => isOver).map(({ key }) => key)
}
