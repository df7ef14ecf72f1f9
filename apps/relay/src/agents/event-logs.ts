import { eventTime } from '../webhooks/local-time.ts'
import type { AgentConnection } from './agent-connection.ts'
import type { SendEvent } from './event-news.ts'
import type { JudgedBatch, Told } from './judge-batch.ts'
import type { DeviceLog } from './store-logs.ts'

/** What the devices logged themselves. */
export function ownLogs(told: readonly Told[], now: Date): DeviceLog[] {
  return told.flatMap(({ connection: { accountId, deviceId }, event }) => {
    if (event.kind !== 'logged') return []
    const { module, priority, message, context } = event
    return [{ accountId, deviceId, at: eventTime(event.at, now).at, module, priority, message, context }]
  })
}

/** What can never be stored. */
export function lossLogs({ batch: { connection }, unread, lost }: JudgedBatch, now: Date): DeviceLog[] {
  const logs = unread.map(({ seq, problem }) =>
    warning(connection, now, `an event of the device was passed over: ${problem}`, { seq: String(seq) }),
  )
  if (lost === 0) return logs
  return [
    warning(connection, now, 'the device has lost events: states may be behind', { events: String(lost) }),
    ...logs,
  ]
}

/** Deleted since, or never this device's: there is nothing that it could change. */
export function foreignSendLog({ connection, event: { cmdId, kind } }: Told<SendEvent>, now: Date): DeviceLog {
  const message = 'the device told about a message that is not, or no longer, one of its own: ignored'
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
