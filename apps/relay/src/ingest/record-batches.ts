// Inbound path, step 10: refuses older connections, advances the mark of the journal. Next: store-received.ts.

import type { AgentEvent, AliasKey, EncryptionKey, SimCard } from '@smsgw/contract/link/event'
import { type Health, healthOf, reportedHealth } from '@smsgw/contract/relay/health'
import { storeAliasKeys } from '../devices/alias-keys.ts'
import { storeReceived } from '../inbox/store-received.ts'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { storeSims } from '../link/claim/store-sims-statement.ts'
import type { Move } from '../messages/progress/message-progress.ts'
import type { Statements } from '../store/database.ts'
import { type RawStatements, together } from '../store/raw-statements.ts'
import { storableJson } from '../store/storable.ts'
import { enqueueEvents } from '../webhooks/outbox/enqueue-events.ts'
import { localTimeOf } from '../webhooks/outbox/local-time.ts'
import type { OutboxEvent } from '../webhooks/outbox/outbox-event.ts'
import { lossLogs, ownLogs, storeLogs } from './device-logs.ts'
import type { EventBatch, RecordResult } from './event-recorder.ts'
import { fenceBatches } from './fence-batches-statement.ts'
import { isSendEvent, storeProgress } from './store-progress.ts'
import { type JournalMark, writeMarks } from './write-marks-statement.ts'

export interface RecordedBatches {
  /** One result per batch, in the same order. */
  readonly results: readonly RecordResult[]
  /** Ids of the commands that were answered. */
  readonly answered: readonly string[]
  /** The state changes of recipients. */
  readonly moves: readonly Move[]
  /** The number of deliveries and notifications that were added to the outbox. */
  readonly enqueued: number
}

/**
 * Stores the events of several devices in the caller's transaction. These are message states, parts, received messages,
 * SIMs, logs and answers, with their webhook deliveries and the mark of each journal. Takes at most one batch per
 * device.
 *
 * Every transaction of the relay locks in this order: relays, devices, journals, messages, recipients, webhooks.
 */
export function recordBatches(
  statements: Statements,
  batches: readonly EventBatch[],
  now: Date,
): Promise<RecordedBatches> {
  return record(statements, batches, now, (reported) => storeOthers(statements, reported, now))
}

/**
 * Returns true if all events of these batches are about sends or received messages. This is true for most batches.
 */
export function areAboutMessages(batches: readonly EventBatch[]): boolean {
  const isAboutMessage = (event: AgentEvent) => isSendEvent(event) || event.kind === 'received'
  return batches.every(({ events }) => events.every((read) => 'event' in read && isAboutMessage(read.event)))
}

/** Like `recordBatches`, for batches whose events are all about messages. Needs raw statements only. */
export function recordMessages(
  statements: RawStatements,
  batches: readonly EventBatch[],
  now: Date,
): Promise<RecordedBatches> {
  return record(statements, batches, now, async () => ({ enqueued: 0, answered: [] }))
}

type Others = Pick<RecordedBatches, 'enqueued' | 'answered'>

async function record(
  statements: RawStatements,
  batches: readonly EventBatch[],
  now: Date,
  others: (reported: readonly ReportedEvent[]) => Promise<Others>,
): Promise<RecordedBatches> {
  const marks = await fenceBatches(
    statements,
    batches.map(({ connection }) => connection),
  )
  const compared = batches.map((batch) => compareBatch(batch, marks.get(batch.connection.deviceId)))
  const reported = compared.flatMap((one) => one.reported)
  const store = async () => {
    const { moves, ...progress } = await storeProgress(statements, reported, now)
    let enqueued = progress.enqueued
    for (const { connection, event } of reported)
      if (event.kind === 'received') enqueued += await storeReceived(statements, deviceOf(connection), event, now)
    const { answered, ...ofOthers } = await others(reported)
    return { moves, answered, enqueued: enqueued + ofOthers.enqueued }
  }
  const [, , stored] = await together([
    writeMarks(
      statements,
      compared.filter(({ isNew }) => isNew).map(({ batch }) => markAfter(batch)),
    ),
    storeLogs(statements, [...compared.flatMap((one) => lossLogs(one, now)), ...ownLogs(reported, now)]),
    store(),
  ])
  return { results: compared.map(({ result }) => result), ...stored }
}

/** Stores everything except messages and logs. */
async function storeOthers(statements: Statements, reported: readonly ReportedEvent[], now: Date): Promise<Others> {
  let enqueued = 0
  for (const [{ deviceId }, sims] of latestSims(reported)) await storeSims(statements, deviceId, sims, now)
  for (const { connection, event } of reported) {
    if (event.kind === 'key-replaced') await storeEncryptionKey(statements, connection, event.key)
  }
  for (const [connection, keys] of aliasKeysIn(reported)) await storeAliasKeys(statements, connection, keys)
  enqueued += await enqueueDeviceEvents(statements, reported)
  return { enqueued, answered: await storeAnswers(statements, reported.filter(isAnswer), now) }
}

/** Returns the last reported SIMs of each device. */
function latestSims(reported: readonly ReportedEvent[]): Map<AgentConnection, readonly SimCard[]> {
  return new Map(
    reported.flatMap(({ connection, event }) =>
      event.kind === 'sims-changed' || event.kind === 'started' ? [[connection, event.sims]] : [],
    ),
  )
}

/** Returns the keys of aliases that each device reported, in order. */
function aliasKeysIn(reported: readonly ReportedEvent[]): Map<AgentConnection, AliasKey[]> {
  const changes = reported.flatMap(({ connection, event }) =>
    event.kind === 'alias-key-changed' ? [{ connection, key: event.key }] : [],
  )
  const byConnection = Map.groupBy(changes, ({ connection }) => connection)
  return new Map([...byConnection].map(([connection, ofDevice]) => [connection, ofDevice.map(({ key }) => key)]))
}

/**
 * Does not replace a newer key. After a restore of the database, the agent repeats events with old keys, although its
 * `hello` has already reported the current key.
 */
async function storeEncryptionKey(
  statements: Statements,
  { deviceId, accountId }: AgentConnection,
  { publicKey, version }: EncryptionKey,
): Promise<void> {
  await statements.device.updateMany({
    where: {
      id: deviceId,
      accountId,
      OR: [{ encryptionKeyVersion: null }, { encryptionKeyVersion: { lt: version } }],
    },
    data: { encryptionKey: publicKey, encryptionKeyVersion: version },
  })
}

async function enqueueDeviceEvents(statements: Statements, reported: readonly ReportedEvent[]): Promise<number> {
  let enqueued = 0
  for (const [accountId, ofAccount] of Map.groupBy(reported, ({ connection }) => connection.accountId)) {
    enqueued += await enqueueEvents(statements, accountId, ofAccount.flatMap(occurrenceOf))
  }
  return enqueued
}

function occurrenceOf({ connection: { deviceId, journalId }, seq, event }: ReportedEvent): OutboxEvent[] {
  const occurrence = `${journalId}:${seq}`
  if (event.kind === 'started') return [{ event: 'app:started', deviceId, occurrence, simCards: event.sims }]
  if (event.kind === 'call-received') {
    const { simNumber, caller = null, recipient = null } = event
    return [
      { event: 'call:received', deviceId, occurrence, simNumber, caller, recipient, receivedAt: localTimeOf(event.at) },
    ]
  }
  if (event.kind === 'pinged') return [{ event: 'system:ping', deviceId, occurrence, health: healthFrom(event.health) }]
  return []
}

/**
 * Returns the health that a ping reports. The ping of an older agent may have other members, but still shows that the
 * device is alive.
 */
function healthFrom(reported: Readonly<Record<string, unknown>>): Health {
  const read = reportedHealth.safeParse(reported)
  return read.success ? read.data : healthOf('unknown', {})
}

/** The event that ends a command other than a send. */
type AnswerEvent = Extract<AgentEvent, { readonly kind: 'swept' | 'ussd-answered' | 'examined' | 'modem-answered' }>

/**
 * Stores the answers to commands. Only the first answer to a command counts. Returns the ids of the commands that were
 * answered now, because requests may be waiting for the answers.
 */
async function storeAnswers(
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

function isAnswer(one: ReportedEvent): one is ReportedEvent<AnswerEvent> {
  return ['swept', 'ussd-answered', 'examined', 'modem-answered'].includes(one.event.kind)
}

function markAfter({ connection: { deviceId, journalId }, from, events, tag }: EventBatch): JournalMark {
  return { deviceId, journalId, mark: from + events.length - 1, tag }
}

function deviceOf({ deviceId, accountId }: AgentConnection) {
  return { id: deviceId, accountId }
}

export interface ComparedBatch {
  readonly batch: EventBatch
  readonly result: RecordResult
  /** True if the mark advances. */
  readonly isNew: boolean
  /** The events to store. */
  readonly reported: readonly ReportedEvent[]
  /** New events that cannot be read. */
  readonly unread: readonly { readonly seq: number; readonly problem: string }[]
  /** The number of events that were lost before the relay stored them. */
  readonly lost: number
}

export interface ReportedEvent<E extends AgentEvent = AgentEvent> {
  readonly connection: AgentConnection
  readonly seq: number
  readonly event: E
}

/**
 * Compares a batch with the mark of its journal.
 * @param mark undefined if a newer connection exists
 */
function compareBatch(batch: EventBatch, mark: number | undefined): ComparedBatch {
  const { connection, from, skipped, events } = batch
  const nothing = { batch, isNew: false, reported: [], unread: [], lost: 0 }
  if (mark === undefined) return { ...nothing, result: { kind: 'fenced' } }
  if (from - skipped > mark + 1) return { ...nothing, result: { kind: 'gap', mark } }
  const last = from + events.length - 1
  if (last <= mark) return { ...nothing, result: { kind: 'stored', mark } }
  const fresh = events.map((one, index) => ({ ...one, seq: from + index })).filter(({ seq }) => seq > mark)
  return {
    batch,
    result: { kind: 'stored', mark: last },
    isNew: true,
    reported: fresh.flatMap((one) => ('event' in one ? [{ connection, seq: one.seq, event: one.event }] : [])),
    unread: fresh.flatMap((one) => ('problem' in one ? [one] : [])),
    lost: Math.max(0, from - 1 - mark),
  }
}
