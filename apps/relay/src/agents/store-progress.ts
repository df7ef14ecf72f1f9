import { advanceMessages } from '../messages/advance-messages.ts'
import type { Move } from '../messages/message-progress.ts'
import type { Statements } from '../store/database.ts'
import { foreignSendLog } from './event-logs.ts'
import { isSendEvent, newsOf, type SendEvent } from './event-news.ts'
import type { Told } from './judge-batch.ts'
import { storeLogs } from './store-logs.ts'
import { type PartEvent, storeParts } from './store-parts-statement.ts'

/** What devices tell about their sends: states and parts. What is not theirs changes nothing and is logged. Gives who moved. */
export async function storeProgress(
  statements: Statements,
  told: readonly Told[],
  now: Date,
): Promise<readonly Move[]> {
  const ofSends = told.filter((one): one is Told<SendEvent> => isSendEvent(one.event))
  if (ofSends.length === 0) return []
  const news = new Map(ofSends.map((one) => [newsOf(one.connection, one.event, now), one]))
  const { unknown, moves } = await advanceMessages(statements, [...news.keys()], now)
  const foreign = new Set(unknown.map((one) => news.get(one)))
  const parts = ofSends.filter((one) => !foreign.has(one)).map(({ event }) => event)
  await storeParts(statements, parts.filter(isPartEvent), now)
  await storeLogs(
    statements,
    [...foreign].flatMap((one) => (one === undefined ? [] : [foreignSendLog(one, now)])),
  )
  return moves
}

function isPartEvent(event: SendEvent): event is PartEvent {
  return event.kind === 'part-submitted' || event.kind === 'part-reported'
}
