import type { AgentEvent } from '@smsgw/contract/link/event'
import type { Statements } from '../store/database.ts'
import { storableJson } from '../store/storable.ts'
import type { Told } from './judge-batch.ts'

/** The end of something that the device was asked beside sending. */
export type AnswerEvent = Extract<AgentEvent, { readonly kind: 'swept' | 'ussd-answered' | 'examined' }>

/** The first answer counts. Gives the command ids that have one now: somebody may be waiting for it. */
export async function storeAnswers(
  statements: Statements,
  answers: readonly Told<AnswerEvent>[],
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
