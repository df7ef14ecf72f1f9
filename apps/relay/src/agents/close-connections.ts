import type { Statements } from '../store/database.ts'
import type { AgentConnection } from './agent-connection.ts'

/** The device is offline at once, unless it has a newer connection. */
export async function closeConnection(
  statements: Statements,
  { deviceId, accountId, connEpoch }: AgentConnection,
  now: Date,
): Promise<void> {
  await statements.device.updateMany({
    where: { id: deviceId, accountId, connEpoch },
    data: { relayId: null, leaseUntil: null, lastSeen: now },
  })
}
