import type { Database } from '../../store/database.ts'

export interface SettledAttempt {
  readonly key: bigint
  /** Of the row as it was read. */
  readonly version: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly address: string | undefined
  readonly status: number | undefined
  readonly error: string | undefined
  readonly excerpt: string | undefined
  /** `waiting`: again after the pause. */
  readonly state: 'delivered' | 'failed' | 'waiting'
  readonly pauseMs: number
}

/**
 * What came of attempts, many at once. Each is recorded; a delivery moves only when nobody has changed it since it was
 * read, for a redelivery that was asked for meanwhile begins anew.
 *
 * Gives those that are to be tried again, as somebody is changing their deliveries at this moment: waiting for one could be
 * waiting for somebody who waits for another. Of a delivery that is gone nothing is recorded.
 */
export async function settleDeliveries(
  database: Database,
  settled: readonly SettledAttempt[],
): Promise<readonly bigint[]> {
  const column = <T>(of: (attempt: SettledAttempt) => T) => settled.map(of)
  const locked = await database.$queryRaw<{ key: bigint }[]>`
    WITH result AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column(({ key }) => key)}::bigint[], ${column(({ version }) => version)}::text[],
        ${column(({ startedAt }) => startedAt)}::timestamptz[], ${column(({ durationMs }) => durationMs)}::int[],
        ${column(({ address }) => address ?? null)}::text[], ${column(({ status }) => status ?? null)}::int[],
        ${column(({ error }) => error ?? null)}::text[], ${column(({ excerpt }) => excerpt ?? null)}::text[],
        ${column(({ state }) => state)}::text[], ${column(({ pauseMs }) => pauseMs)}::bigint[]
      ) AS r (key, version, started_at, duration_ms, address, status, error, excerpt, state, pause_ms)
    ),
    locked AS MATERIALIZED (
      SELECT d.key FROM webhook_deliveries d JOIN result ON result.key = d.key FOR NO KEY UPDATE OF d SKIP LOCKED
    ),
    moved AS (
      UPDATE webhook_deliveries d SET state = r.state, attempts = d.attempts + 1,
        next_attempt_at = now() + r.pause_ms * interval '1 millisecond',
        finished_at = CASE WHEN r.state = 'waiting' THEN NULL ELSE now() END
      FROM result r JOIN locked ON locked.key = r.key
      WHERE d.key = r.key AND d.xmin::text = r.version AND d.state = 'waiting'
    ),
    recorded AS (
      INSERT INTO webhook_attempts (delivery_key, number, started_at, duration_ms, address, status, error, excerpt)
      SELECT r.key, coalesce((SELECT max(a.number) FROM webhook_attempts a WHERE a.delivery_key = r.key), 0) + 1,
        r.started_at, r.duration_ms, r.address, r.status, r.error, r.excerpt
      FROM result r JOIN locked ON locked.key = r.key
    )
    SELECT d.key FROM webhook_deliveries d JOIN result ON result.key = d.key
    WHERE d.key NOT IN (SELECT locked.key FROM locked)`
  return locked.map(({ key }) => key)
}
