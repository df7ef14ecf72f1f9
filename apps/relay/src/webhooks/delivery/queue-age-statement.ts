import type { Database } from '../../store/database.ts'

/**
 * Of what could be sent now and is not. Leaps from one receiver to the next in the index of what waits, whose first row is
 * due for longest.
 */
export async function queueAgeSeconds(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<[{ age: number | null }]>`
    WITH RECURSIVE first AS (
      (SELECT webhook_key, next_attempt_at FROM webhook_deliveries WHERE state = 'waiting'
        ORDER BY webhook_key, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_key, next.next_attempt_at FROM first CROSS JOIN LATERAL (
        SELECT d.webhook_key, d.next_attempt_at FROM webhook_deliveries d
        WHERE d.state = 'waiting' AND d.webhook_key > first.webhook_key
        ORDER BY d.webhook_key, d.next_attempt_at LIMIT 1) AS next
    )
    SELECT extract(epoch FROM now() - min(first.next_attempt_at))::float8 AS age
    FROM first JOIN webhooks w ON w.key = first.webhook_key
    WHERE w.disabled_at IS NULL AND (w.paused_until IS NULL OR w.paused_until <= now())`
  return Math.max(0, row.age ?? 0)
}
