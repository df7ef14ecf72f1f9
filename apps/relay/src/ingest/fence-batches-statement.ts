import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Statements } from '../store/database.ts'
import { storableText } from '../store/storable.ts'

/**
 * Returns the mark of each connection's journal, by device id. Connections that are no longer the newest of their
 * device are left out.
 *
 * Locks: the device is locked against a newer connection, as by a claim. The newer connection waits and then reads a
 * mark that is final. The journal is locked against a second batch of the same connection, which would be stored twice
 * or with a gap. Devices are locked in the order of their ids, as in `renewLeases`.
 */
export async function fenceBatches(
  statements: Statements,
  connections: readonly AgentConnection[],
): Promise<Map<string, number>> {
  const rows = await statements.$queryRaw<{ deviceId: string; mark: bigint }[]>`
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
    FOR SHARE OF d FOR NO KEY UPDATE OF j`
  return new Map(rows.map(({ deviceId, mark }) => [deviceId, Number(mark)]))
}

export interface JournalMark {
  readonly deviceId: string
  readonly journalId: string
  readonly mark: number
  readonly tag: string | undefined
}

/** Writes the marks. The caller holds the locks of the journals. */
export async function writeMarks(statements: Statements, marks: readonly JournalMark[]): Promise<void> {
  if (marks.length === 0) return
  await statements.$executeRaw`
    UPDATE device_journals j SET mark = m.mark, mark_tag = m.tag
    FROM unnest(
      ${marks.map(({ deviceId }) => deviceId)}::text[], ${marks.map(({ journalId }) => journalId)}::text[],
      ${marks.map(({ mark }) => mark)}::bigint[], ${marks.map(({ tag }) => (tag === undefined ? null : storableText(tag)))}::text[]
    ) AS m (device_id, journal_id, mark, tag)
    WHERE j.device_id = m.device_id AND j.journal_id = m.journal_id`
}
