import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { storeLogRows } from '../logs/store-log-rows-statement.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { eventTime } from '../webhooks/outbox/local-time.ts'
import type { ComparedBatch, ReportedEvent } from './record-batches.ts'
import type { SendEvent } from './store-progress.ts'

/** An entry in the log of a device. The device writes it, or the relay writes it about events of the device. */
export interface DeviceLog {
  readonly accountId: string
  readonly deviceId: string
  readonly at: Date
  readonly module: string
  readonly priority: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
  readonly message: string
  readonly context?: Readonly<Record<string, string>> | undefined
}

/** Stores log entries in the transaction of the events, because both are acknowledged together. */
export async function storeLogs(statements: RawStatements, logs: readonly DeviceLog[]): Promise<void> {
  if (logs.length === 0) return
  const rows = logs.map(({ at, context = {}, ...log }) => ({ ...log, createdAt: at, context }))
  await storeLogRows(statements, rows)
}

/** Returns the entries that the devices wrote. */
export function ownLogs(reported: readonly ReportedEvent[], now: Date): DeviceLog[] {
  return reported.flatMap(({ connection: { accountId, deviceId }, event }) => {
    if (event.kind !== 'logged') return []
    const { module, priority, message, context } = event
    return [{ accountId, deviceId, at: eventTime(event.at, now).at, module, priority, message, context }]
  })
}

/** Returns warnings about events that can never be stored. */
export function lossLogs({ batch: { connection }, unread, lost }: ComparedBatch, now: Date): DeviceLog[] {
  const logs = unread.map(({ seq, problem }) =>
    warning(connection, now, `skipped an unreadable event of the device: ${problem}`, { seq: String(seq) }),
  )
  if (lost === 0) return logs
  return [
    warning(connection, now, 'the device lost events before the relay stored them: message states may be out of date', {
      events: String(lost),
    }),
    ...logs,
  ]
}

/** Returns a warning about an ignored event, whose message was deleted or belongs to another device. */
export function foreignSendLog({ connection, event: { cmdId, kind } }: ReportedEvent<SendEvent>, now: Date): DeviceLog {
  const message = 'ignored an event of the device: the message does not exist or belongs to another device'
  return warning(connection, now, message, { cmdId, event: kind })
}

function warning(
  { accountId, deviceId }: AgentConnection,
  at: Date,
  message: string,
  context: Readonly<Record<string, string>>,
): DeviceLog {
  return { accountId, deviceId, at, module: 'agents', priority: 'WARN', message, context }
}
