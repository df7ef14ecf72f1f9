import type { SimCard } from '@smsgw/contract/link/event'
import { storeReceived } from '../inbox/store-received.ts'
import type { Move } from '../messages/message-progress.ts'
import type { Statements } from '../store/database.ts'
import { enqueueEvents } from '../webhooks/enqueue-events.ts'
import type { HappenedEvent } from '../webhooks/happened-event.ts'
import type { AgentConnection } from './agent-connection.ts'
import type { EventBatch, RecordResult } from './event-batch.ts'
import { lossLogs, ownLogs } from './event-logs.ts'
import { fenceBatches, type JournalMark, writeMarks } from './fence-batches-statement.ts'
import { judgeBatch, type Told } from './judge-batch.ts'
import { type AnswerEvent, storeAnswers } from './store-answers.ts'
import { storeLogs } from './store-logs.ts'
import { storeProgress } from './store-progress.ts'
import { storeSims } from './store-sims.ts'

export interface RecordedBatches {
  /** One for each batch. */
  readonly results: readonly RecordResult[]
  /** Commands that have an answer now. */
  readonly answered: readonly string[]
  /** Recipients that came to another state. */
  readonly moves: readonly Move[]
}

/**
 * Stores what devices tell, in the caller's transaction: states, parts, what came in, slots, logs, answers, with what
 * webhooks are told of it, and how far each journal is stored. All of it, or nothing. One batch for each device at most.
 *
 * Everybody takes locks in this order: devices, journals, messages, recipients, webhooks.
 */
export async function recordBatches(
  statements: Statements,
  batches: readonly EventBatch[],
  now: Date,
): Promise<RecordedBatches> {
  const marks = await fenceBatches(
    statements,
    batches.map(({ connection }) => connection),
  )
  const judged = batches.map((batch) => judgeBatch(batch, marks.get(batch.connection.deviceId)))
  const told = judged.flatMap((one) => one.told)
  const moves = await storeProgress(statements, told, now)
  for (const { connection, event } of told) {
    if (event.kind === 'received') await storeReceived(statements, deviceOf(connection), event, now)
  }
  for (const [{ deviceId }, sims] of latestSims(told)) await storeSims(statements, deviceId, sims, now)
  await tellOccurrences(statements, told)
  await storeLogs(statements, [...judged.flatMap((one) => lossLogs(one, now)), ...ownLogs(told, now)])
  const answered = await storeAnswers(statements, told.filter(isAnswer), now)
  await writeMarks(
    statements,
    judged.filter(({ isNew }) => isNew).map(({ batch }) => markAfter(batch)),
  )
  return { results: judged.map(({ result }) => result), answered, moves }
}

/** Slots as they were told last. */
function latestSims(told: readonly Told[]): Map<AgentConnection, readonly SimCard[]> {
  return new Map(
    told.flatMap(({ connection, event }) =>
      event.kind === 'sims-changed' || event.kind === 'started' ? [[connection, event.sims]] : [],
    ),
  )
}

async function tellOccurrences(statements: Statements, told: readonly Told[]): Promise<void> {
  for (const [accountId, ofAccount] of Map.groupBy(told, ({ connection }) => connection.accountId)) {
    await enqueueEvents(statements, accountId, ofAccount.flatMap(occurrenceOf))
  }
}

function occurrenceOf({ connection: { deviceId, journalId }, seq, event }: Told): HappenedEvent[] {
  const occurrence = `${journalId}:${seq}`
  if (event.kind === 'started') return [{ event: 'app:started', deviceId, occurrence, simCards: event.sims }]
  if (event.kind === 'pinged') return [{ event: 'system:ping', deviceId, occurrence, health: event.health }]
  return []
}

function isAnswer(one: Told): one is Told<AnswerEvent> {
  return one.event.kind === 'swept' || one.event.kind === 'ussd-answered' || one.event.kind === 'examined'
}

function markAfter({ connection: { deviceId, journalId }, from, events, tag }: EventBatch): JournalMark {
  return { deviceId, journalId, mark: from + events.length - 1, tag }
}

function deviceOf({ deviceId, accountId }: AgentConnection) {
  return { id: deviceId, accountId }
}
