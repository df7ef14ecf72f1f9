import type { Statements } from '../../store/database.ts'
import type { AgentConnection } from './agent-connection.ts'

export type EndedConnection = Omit<AgentConnection, 'journalId'>

/** Marks these devices offline unless they have a newer connection. Devices are locked in the order of their ids. */
export async function closeConnections(
  statements: Statements,
  connections: readonly EndedConnection[],
  now: Date,
): Promise<void> {
  await statements.$executeRaw`
    WITH closed AS MATERIALIZED (
      SELECT d.id FROM unnest(
        ${connections.map(({ deviceId }) => deviceId)}::text[], ${connections.map(({ accountId }) => accountId)}::text[],
        ${connections.map(({ connEpoch }) => connEpoch)}::bigint[]
      ) AS c (device_id, account_id, conn_epoch)
      JOIN devices d ON d.id = c.device_id AND d.account_id = c.account_id AND d.conn_epoch = c.conn_epoch
      ORDER BY d.id FOR NO KEY UPDATE OF d
    )
    UPDATE devices d SET relay_id = NULL, lease_until = NULL, last_seen = ${now} FROM closed WHERE d.id = closed.id`
}
