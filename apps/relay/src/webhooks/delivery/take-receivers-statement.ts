import type { Database } from '../../store/database.ts'
import { PRESENCE_CLASS } from './worker-presence.ts'

/** A webhook that this worker alone sends to, with what it takes to send. */
export interface Receiver {
  readonly key: bigint
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly secretSealed: string
  readonly previousSecretSealed: string | null
  readonly signingKeySealed: string | null
  /** As the account set it. */
  readonly retries: number | null
  /** Above 0 it is tried with one delivery. */
  readonly pauses: number
  /** Something is held against it, which an answer that is well takes away. */
  readonly isIll: boolean
}

export interface TakingReceivers {
  /** The number of this worker. */
  readonly worker: number
  /** At most so long, should nobody notice that this worker is gone. */
  readonly leaseSeconds: number
  /** Those that it serves already. */
  readonly busy: readonly bigint[]
  /** Of those, whose lease is to last longer. */
  readonly renewed: readonly bigint[]
  /** Looks for further ones above this key. */
  readonly after: bigint
  readonly limit: number
}

/**
 * Takes receivers that something is due for and that nobody serves, and renews those that this worker serves. One worker
 * at a time serves a receiver, so that its limit of requests in flight holds for all replicas together. What is taken is
 * read by a statement of its own, which then sees what the one who served it before had come to.
 *
 * Who serves is written in the row that is locked, so that of two workers at once the second sees it: whatever else a
 * statement looks at, it sees as it was when it began. SKIP LOCKED: whoever holds the row is taking or changing it. A
 * worker that was killed has given up its presence, and what it served is taken at once. The receivers are found by
 * leaping from one to the next in the index of what waits: a dead one with a million rows costs one leap.
 */
export function takeReceivers(database: Database, taking: TakingReceivers): Promise<Receiver[]> {
  const { worker, leaseSeconds, busy, renewed, after, limit } = taking
  return database.$queryRaw<Receiver[]>`
    WITH RECURSIVE present AS MATERIALIZED (
      SELECT objid::bigint AS worker FROM pg_locks
      WHERE locktype = 'advisory' AND classid = ${PRESENCE_CLASS}::bigint AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ),
    waiting AS (
      (SELECT webhook_key FROM webhook_deliveries WHERE state = 'waiting' AND webhook_key > ${after}
        ORDER BY webhook_key LIMIT 1)
      UNION ALL
      SELECT (SELECT d.webhook_key FROM webhook_deliveries d
        WHERE d.state = 'waiting' AND d.webhook_key > w.webhook_key ORDER BY d.webhook_key LIMIT 1)
      FROM waiting w WHERE w.webhook_key IS NOT NULL
    ),
    found AS MATERIALIZED (
      SELECT w.key FROM webhooks w JOIN waiting ON waiting.webhook_key = w.key
      WHERE w.disabled_at IS NULL AND (w.paused_until IS NULL OR w.paused_until <= now())
        AND w.key <> ALL (${[...busy]}::bigint[])
        AND (w.served_by IS NULL OR w.served_until <= now() OR w.served_by NOT IN (SELECT present.worker FROM present))
        AND EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_key = w.key AND d.state = 'waiting'
          AND d.next_attempt_at <= now() + interval '1 millisecond')
      ORDER BY w.key LIMIT ${limit}
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ),
    kept AS MATERIALIZED (
      SELECT w.key FROM webhooks w
      WHERE w.key = ANY (${[...renewed]}::bigint[]) AND w.served_by = ${worker}
        AND w.disabled_at IS NULL AND (w.paused_until IS NULL OR w.paused_until <= now())
      ORDER BY w.key
      FOR NO KEY UPDATE OF w SKIP LOCKED
    )
    UPDATE webhooks w SET served_by = ${worker}, served_until = now() + make_interval(secs => ${leaseSeconds})
    FROM (SELECT key FROM found UNION ALL SELECT key FROM kept) AS one, accounts a
    WHERE w.key = one.key AND a.id = w.account_id
    RETURNING w.key, w.id, w.account_id AS "accountId", w.url, w.secret_sealed AS "secretSealed",
      CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_sealed END AS "previousSecretSealed",
      a.signing_key_sealed AS "signingKeySealed", (a.settings #>> '{webhooks,retry_count}')::int AS retries, w.pauses,
      w.failing_since IS NOT NULL OR w.pauses > 0 AS "isIll"`
}
