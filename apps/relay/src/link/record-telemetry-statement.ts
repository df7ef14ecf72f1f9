import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import type { AgentConnection } from './claim/agent-connection.ts'

export interface ReceivedSample {
  readonly connection: AgentConnection
  readonly receivedAt: Date
  /** JSON that PostgreSQL can store. */
  readonly json: string
}

/**
 * Stores the latest telemetry of many devices and their history. Samples of older connections are dropped. Does not
 * store the samples of locked devices, for example during a claim, but returns them. So no device waits for another
 * device.
 *
 * The first sample of an hour is kept for 30 days, the first sample of a minute for a day, and other samples for an
 * hour. The lifetime is stored with each sample, so that no job has to compare samples later.
 */
export async function recordTelemetry<Sample extends ReceivedSample>(
  statements: Statements,
  samples: readonly Sample[],
): Promise<Sample[]> {
  const locked = await readRows(
    statements,
    lockedRow,
    Prisma.sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(
        ${samples.map(({ connection }) => connection.deviceId)}::text[],
        ${samples.map(({ connection }) => connection.accountId)}::text[],
        ${samples.map(({ connection }) => connection.connEpoch)}::bigint[],
        ${samples.map(({ connection }) => connection.journalId)}::text[],
        ${samples.map(({ receivedAt }) => receivedAt)}::timestamptz[],
        ${samples.map(({ json }) => json)}::text[]
      ) WITH ORDINALITY AS g (device_id, account_id, conn_epoch, journal_id, received_at, json, number)
    ), connected AS MATERIALIZED (
      SELECT g.number, d.id, g.received_at, g.json::jsonb AS sample FROM given g
      JOIN devices d ON d.id = g.device_id AND d.account_id = g.account_id AND d.conn_epoch = g.conn_epoch
        AND d.journal_id = g.journal_id
      WHERE d.deleted_at IS NULL
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ), history AS (
      INSERT INTO telemetry (device_id, at, sample, forget_at)
      SELECT c.id, c.received_at, c.sample, c.received_at + CASE
        WHEN previous.at IS NULL THEN interval '30 days'
        WHEN previous.at < date_trunc('minute', c.received_at, 'UTC') THEN interval '1 day'
        ELSE interval '1 hour' END
      FROM connected c LEFT JOIN LATERAL (
        SELECT t.at FROM telemetry t
        WHERE t.device_id = c.id AND t.at >= date_trunc('hour', c.received_at, 'UTC') AND t.at < c.received_at
        ORDER BY t.at DESC LIMIT 1
      ) previous ON true
    ), latest AS (
      UPDATE devices d SET telemetry = c.sample, last_seen = greatest(d.last_seen, c.received_at)
      FROM connected c WHERE d.id = c.id
    )
    SELECT g.number::int FROM given g
    JOIN devices d ON d.id = g.device_id AND d.account_id = g.account_id AND d.conn_epoch = g.conn_epoch
      AND d.journal_id = g.journal_id
    WHERE d.deleted_at IS NULL AND g.number NOT IN (SELECT number FROM connected)`,
  )
  const numbers = new Set(locked.map(({ number }) => number))
  return samples.filter((_, index) => numbers.has(index + 1))
}

const lockedRow = z.object({ number: z.int() })
