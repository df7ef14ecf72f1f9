import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

export interface RecordedAttempt {
  readonly key: bigint
  /** The version of the row when it was read. */
  readonly version: number
  readonly event: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly url: string
  readonly address: string | undefined
  readonly status: number | undefined
  readonly error: string | undefined
  readonly excerpt: string | undefined
  /** `waiting`: the delivery is tried again after the pause. */
  readonly state: 'delivered' | 'failed' | 'waiting'
  readonly pauseMs: number
}

/**
 * Records the results of several attempts. A delivery changes its state only if its row has not changed since it was
 * read, because a redelivery that was requested meanwhile starts a new schedule. Attempts of deleted deliveries are not
 * recorded. Deliveries that waited for one of these attempts are released afterwards (`releaseFollowers`).
 *
 * SKIP LOCKED leaves out locked deliveries, because waiting for them could cause a deadlock. They are returned, and
 * their results have to be recorded again.
 */
export async function recordAttempts(
  database: Database,
  settled: readonly RecordedAttempt[],
): Promise<readonly bigint[]> {
  const column = <T>(of: (attempt: RecordedAttempt) => T) => settled.map(of)
  const locked = await readRows(
    database,
    deliveryRow,
    Prisma.sql`
    WITH result AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column(({ key }) => key)}::bigint[], ${column(({ version }) => version)}::int[],
        ${column(({ startedAt }) => startedAt)}::timestamptz[], ${column(({ durationMs }) => durationMs)}::int[],
        ${column(({ url }) => url)}::text[], ${column(({ address }) => address ?? null)}::text[], ${column(({ status }) => status ?? null)}::int[],
        ${column(({ error }) => error ?? null)}::text[], ${column(({ excerpt }) => excerpt ?? null)}::text[],
        ${column(({ state }) => state)}::text[], ${column(({ pauseMs }) => pauseMs)}::bigint[]
      ) AS r (key, version, started_at, duration_ms, url, address, status, error, excerpt, state, pause_ms)
    ),
    locked AS MATERIALIZED (
      SELECT r.*, d.tries + 1 AS number, d.webhook_key, d.id FROM result r JOIN webhook_deliveries d ON d.key = r.key
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ),
    counted AS (
      UPDATE webhook_deliveries d SET tries = r.number,
        state = CASE WHEN d.version = r.version THEN r.state ELSE d.state END,
        attempts = CASE WHEN d.version = r.version THEN d.attempts + 1 ELSE d.attempts END,
        next_attempt_at = CASE WHEN d.version = r.version AND r.state = 'waiting'
          THEN now() + r.pause_ms * interval '1 millisecond' ELSE d.next_attempt_at END,
        finished_at = CASE WHEN d.version = r.version AND r.state <> 'waiting' THEN now() ELSE d.finished_at END
      FROM locked r WHERE d.key = r.key
    ),
    recorded AS (
      INSERT INTO webhook_attempts (delivery_key, number, started_at, duration_ms, url, address, status, error, excerpt)
      SELECT key, number, started_at, duration_ms, url, address, status, error, excerpt FROM locked
    )
    SELECT d.key FROM webhook_deliveries d JOIN result ON result.key = d.key
    WHERE d.key NOT IN (SELECT locked.key FROM locked)`,
  )
  return locked.map(({ key }) => key)
}

const deliveryRow = z.object({ key: z.bigint() })
