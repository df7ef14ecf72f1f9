import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import { type AgentConnection, fence } from '../link/claim/agent-connection.ts'
import type { Statements } from '../store/database.ts'
import { storableJson } from '../store/storable.ts'

/**
 * Stores the latest report of a connection. The report is valid while the connection is the newest of its device. The
 * check locks the device, so that no newer connection opens between the check and the write.
 */
export async function recordWaiting(
  statements: Statements,
  connection: AgentConnection,
  report: WaitingReport,
  now: Date,
): Promise<void> {
  const stored = JSON.stringify(storableJson(report))
  await statements.$executeRaw`
    WITH ${fence(connection)}
    INSERT INTO device_waiting (device_id, conn_epoch, report, at)
    SELECT id, ${connection.connEpoch}, ${stored}::jsonb, ${now} FROM fence
    ON CONFLICT (device_id) DO UPDATE
      SET conn_epoch = excluded.conn_epoch, report = excluded.report, at = excluded.at`
}
