import { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * Returns the mark of each connection's journal, by device id. Connections that are no longer the newest of their
 * device are left out.
 *
 * Locks the device, so that a newer connection waits and then reads the final mark. Locks the journal, because
 * otherwise two concurrent batches of a connection could store events twice or leave a gap. Devices are locked in the
 * order of their ids, as in `renewLeases`.
 */
export async function fenceBatches(
  statements: RawStatements,
  connections: readonly AgentConnection[],
): Promise<Map<string, number>> {
  const rows = await readRows(
    statements,
    markRow,
    Prisma.sql`
    SELECT d.id AS "deviceId", j.mark
    FROM unnest(
      ${connections.map(({ deviceId }) => deviceId)}::text[], ${connections.map(({ accountId }) => accountId)}::text[],
      ${connections.map(({ connEpoch }) => connEpoch)}::bigint[],
      ${connections.map(({ journalId }) => journalId)}::text[]
    ) AS c (device_id, account_id, conn_epoch, journal_id)
    JOIN devices d ON d.id = c.device_id AND d.account_id = c.account_id AND d.conn_epoch = c.conn_epoch
      AND d.journal_id = c.journal_id AND d.deleted_at IS NULL
    JOIN device_journals j ON j.device_id = d.id AND j.journal_id = c.journal_id
    ORDER BY d.id
    FOR SHARE OF d FOR NO KEY UPDATE OF j`,
  )
  return new Map(rows.map(({ deviceId, mark }) => [deviceId, Number(mark)]))
}

const markRow = z.object({ deviceId: z.string(), mark: z.bigint() })
