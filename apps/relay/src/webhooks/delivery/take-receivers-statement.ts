import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'
import { isInTurn } from '../outbox/event-turn.ts'
import { PRESENCE_CLASS } from './worker-presence.ts'

/** The columns of a webhook `w` and its account `a`. */
export const ofReceiver = Prisma.sql`w.key, w.id, w.account_id AS "accountId", w.url, w.format,
  w.secret_sealed AS "secretSealed",
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_sealed END AS "previousSecretSealed",
  a.signing_key_sealed AS "signingKeySealed", (a.settings #>> '{webhooks,retry_count}')::int AS retries, w.pauses,
  w.failing_since IS NOT NULL OR w.pauses > 0 AS "hasFailures"`

/** The SQL condition that requests may be sent to webhook `w` now. */
export const mayBeServed = Prisma.sql`w.disabled_at IS NULL AND w.held_since IS NULL
  AND (w.paused_until IS NULL OR w.paused_until <= now())`

export const dueReceiver = z.object({
  key: z.bigint(),
  id: z.string(),
  accountId: z.string(),
  url: z.string(),
  format: z.string().nullable(),
  secretSealed: z.string(),
  previousSecretSealed: z.string().nullable(),
  signingKeySealed: z.string().nullable(),
  /** The number of retries that the account has set. */
  retries: z.int().nullable(),
  /** The number of consecutive pauses. If it is above 0, the receiver is on trial and gets one delivery at a time. */
  pauses: z.int(),
  /** True if failures are recorded. A successful attempt then clears them. */
  hasFailures: z.boolean(),
})

/** A webhook that only this worker serves, with all data that sending needs. */
export type DueReceiver = Readonly<z.output<typeof dueReceiver>>

export interface TakingReceivers {
  /** The number of this worker. */
  readonly worker: number
  /** The time after which other workers may take the receivers even if this worker seems to be present. */
  readonly leaseSeconds: number
  /** Receivers that this worker already serves. */
  readonly busy: readonly bigint[]
  /** The busy receivers whose lease has to be extended. */
  readonly renewed: readonly bigint[]
  /** Searches for more receivers after this key. */
  readonly after: bigint
  readonly limit: number
}

/**
 * Takes receivers that no worker serves and that have due deliveries. Also renews the leases of this worker. Only one
 * worker serves a receiver at a time, so that the limit of requests in flight applies to all relays together. Due
 * deliveries are read by a later statement, which sees all results of the previous worker.
 *
 * The search reads one row per receiver in the index of waiting deliveries, so a receiver that is down and has a
 * million deliveries costs one step.
 *
 * Locks: the worker's number is written to the locked row, so that the second of two concurrent workers sees it. All
 * other values are read as of the start of the statement. SKIP LOCKED leaves out rows that are being taken or changed.
 * A killed worker has lost its presence lock, so its receivers are taken at once.
 *
 * The first lease of a receiver is committed without a wait for the disk. If PostgreSQL crashes and loses it, the
 * worker has lost its presence lock as well, and takes its receivers again under another number. A renewal waits: it
 * proves that the database can still commit, so that a worker whose primary is cut off from its standby stops sending.
 */
export function takeReceivers(statements: RawStatements, taking: TakingReceivers): Promise<DueReceiver[]> {
  const { worker, leaseSeconds, busy, renewed, after, limit } = taking
  return readRows(
    statements,
    dueReceiver,
    Prisma.sql`
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
      WHERE ${mayBeServed}
        AND w.key <> ALL (${[...busy]}::bigint[])
        AND (w.served_by IS NULL OR w.served_until <= now() OR w.served_by NOT IN (SELECT present.worker FROM present))
        AND EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_key = w.key AND d.state = 'waiting'
          AND d.next_attempt_at <= now() + interval '1 millisecond' AND ${isInTurn})
      ORDER BY w.key LIMIT ${limit}
      FOR NO KEY UPDATE OF w SKIP LOCKED
    ),
    kept AS MATERIALIZED (
      SELECT w.key FROM webhooks w
      WHERE w.key = ANY (${[...renewed]}::bigint[]) AND w.served_by = ${worker}
        AND ${mayBeServed}
      ORDER BY w.key
      FOR NO KEY UPDATE OF w SKIP LOCKED
    )
    UPDATE webhooks w SET served_by = ${worker}, served_until = now() + make_interval(secs => ${leaseSeconds})
    FROM (SELECT key FROM found UNION ALL SELECT key FROM kept) AS one, accounts a,
      (
        SELECT set_config('synchronous_commit', CASE WHEN ${renewed.length > 0}::boolean THEN now_set ELSE 'off' END, true)
        FROM current_setting('synchronous_commit') AS now_set
      ) AS commit
    WHERE w.key = one.key AND a.id = w.account_id
    RETURNING ${ofReceiver}`,
  )
}
