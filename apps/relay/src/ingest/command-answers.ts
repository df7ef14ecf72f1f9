import type { AgentEvent } from '@smsgw/contract/link/event'
import type { Database, Statements } from '../store/database.ts'
import { storableJson } from '../store/storable.ts'
import type { ReportedEvent } from './record-batches.ts'

/** The end of a command other than a send. */
export type AnswerEvent = Extract<AgentEvent, { readonly kind: 'swept' | 'ussd-answered' | 'examined' }>

/**
 * Stores answers; the first one to a command counts. Returns the command ids that were answered now: a request may be
 * waiting for them.
 */
export async function storeAnswers(
  statements: Statements,
  answers: readonly ReportedEvent<AnswerEvent>[],
  now: Date,
): Promise<string[]> {
  const answered: string[] = []
  for (const { connection, event } of answers) {
    const { kind: _, cmdId, ...answer } = event
    const { count } = await statements.deviceCommand.updateMany({
      where: { cmdId, deviceId: connection.deviceId, accountId: connection.accountId, answeredAt: null },
      data: { answeredAt: now, answer: storableJson(answer) as object },
    })
    if (count > 0) answered.push(cmdId)
  }
  return answered
}

/**
 * Deletes commands that were answered or expired before that time, for all accounts. The requests that waited for them
 * have ended.
 */
export async function deleteOldDeviceCommands(database: Database, before: Date): Promise<number> {
  const { count } = await database.deviceCommand.deleteMany({
    where: { OR: [{ answeredAt: { lt: before } }, { expiresAt: { lt: before } }] },
  })
  return count
}
