import type { Statements } from '../store/database.ts'
import { storableJson, storableText } from '../store/storable.ts'

/** What a device logged, or what is to be said about what it told. */
export interface DeviceLog {
  readonly accountId: string
  readonly deviceId: string
  readonly at: Date
  readonly module: string
  readonly priority: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
  readonly message: string
  readonly context?: Readonly<Record<string, string>> | undefined
}

/** In the transaction of the events, because they are acknowledged as stored. */
export async function storeLogs(statements: Statements, logs: readonly DeviceLog[]): Promise<void> {
  if (logs.length === 0) return
  await statements.logEntry.createMany({
    data: logs.map(({ accountId, deviceId, at, module, priority, message, context }) => ({
      accountId,
      deviceId,
      createdAt: at,
      module: storableText(module),
      priority,
      message: storableText(message),
      ...(context !== undefined && { context: storableJson(context) as object }),
    })),
  })
}
