import type { Statements } from '../store/database.ts'
import { storableJson } from '../store/storable.ts'
import { type AgentConnection, fence } from './claim/agent-connection.ts'

/** Stores the latest telemetry of a device and a short history. Samples of an older connection are dropped (see `fence`). */
export async function recordTelemetry(
  statements: Statements,
  connection: AgentConnection,
  sample: Readonly<Record<string, unknown>>,
  { now, historyMs }: { readonly now: Date; readonly historyMs: number },
): Promise<void> {
  const stored = JSON.stringify(storableJson(sample))
  const forgotten = new Date(now.getTime() - historyMs)
  await statements.$executeRaw`
    WITH ${fence(connection)},
    forgotten AS (DELETE FROM telemetry USING fence WHERE device_id = fence.id AND at < ${forgotten}),
    history AS (INSERT INTO telemetry (device_id, at, sample) SELECT id, ${now}, ${stored}::jsonb FROM fence)
    UPDATE devices d SET telemetry = ${stored}::jsonb, last_seen = ${now} FROM fence WHERE d.id = fence.id`
}
