import { createHash } from 'node:crypto'
import type { RelayFailureCode } from '@smsgw/contract/messages/failure-code'
import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { advanceMessages } from '../messages/progress/advance-messages.ts'
import type { Move, RecipientUpdate } from '../messages/progress/message-progress.ts'
import type { RecipientInput } from '../messages/progress/message-state.ts'
import type { Database } from '../store/database.ts'
import { storableText } from '../store/storable.ts'
import { eventTime } from '../webhooks/outbox/local-time.ts'
import { phoneOf } from './authenticate-phone.ts'
import { type ReportedRecipient, type StateReport, stateReport } from './mobile-bodies.ts'
import { UnreadableMembers } from './unreadable-members.ts'

export interface ReportStatesDeps extends Pick<CoreDeps, 'database' | 'clock' | 'logbook'> {
  readonly outbox: { wake(): void }
  readonly onMoved: (moves: readonly Move[]) => void
}

/**
 * Recipients per transaction. The number is limited, because other changes of their messages wait for the transaction.
 */
const AT_ONCE = 200
const MOST_REPORTS = 1_000
const LONGEST_REASON = 500

/**
 * Records the states that a phone reports. `Pending` means that the phone has stored the message. A repeated or late
 * report changes nothing. A message that was not dispatched to this phone is ignored. A report that cannot be read is
 * logged and skipped, because the phone would give up a refused request after some attempts and lose its other reports.
 */
export function reportStates({ database, clock, logbook, outbox, onMoved }: ReportStatesDeps): Endpoint {
  return endpoint({
    body: z.array(z.unknown()).max(MOST_REPORTS),
    documentedBody: z.array(stateReport.meta({ id: 'StateReport' })).max(MOST_REPORTS),
    answers: { 204: null },
    async handle({ principal, body }) {
      const phone = phoneOf(principal)
      const unreadable = new UnreadableMembers(phone)
      const reports = body.flatMap((one) => {
        const read = stateReport.safeParse(one)
        if (read.success) return [read.data]
        unreadable.add({ module: 'devices', what: 'ignored a report about the state of a message' }, read.error.issues)
        return []
      })
      unreadable.writeTo(logbook)
      const now = clock.now()
      const updates = await updatesOf(database, phone, reports, now)
      for (let from = 0; from < updates.length; from += AT_ONCE) {
        const some = updates.slice(from, from + AT_ONCE)
        const { moves } = await database.$transaction((statements) => advanceMessages(statements, some, now))
        onMoved(moves)
      }
      outbox.wake()
      return { status: 204 }
    },
  })
}

async function updatesOf(
  database: Database,
  { accountId, deviceId, journalId }: AgentConnection,
  reports: readonly StateReport[],
  now: Date,
): Promise<RecipientUpdate[]> {
  const stored = await database.recipient.findMany({
    where: {
      ...{ accountId, deviceId, dispatchedJournal: journalId },
      message: { accountId, id: { in: reports.map(({ id }) => id) } },
    },
    orderBy: [{ messageKey: 'asc' }, { position: 'asc' }],
    select: { cmdId: true, phoneNumber: true, message: { select: { id: true } } },
  })
  const ofMessage = Map.groupBy(stored, ({ message }) => message.id)
  const isRepeated = repeatFilter()
  return reports.flatMap((report) => {
    const all = ofMessage.get(report.id) ?? []
    const reportedFor = all.length === 0 ? () => undefined : reportReader(report, all.length)
    return all.flatMap((recipient, index) => {
      const reported = reportedFor(recipient.phoneNumber, index)
      if (reported === undefined) return []
      const reportedAt = report.states?.[reported.state]
      const { at, offsetMinutes } = eventTime(typeof reportedAt === 'string' ? reportedAt : '', now)
      const { cmdId } = recipient
      return inputsOf(reported, at)
        .filter(({ kind }) => !isRepeated(cmdId, kind))
        .map((input) => ({ accountId, deviceId, cmdId, offsetMinutes, input }))
    })
  })
}

/**
 * Returns a function that finds the inputs that change nothing, because the recipient had the same kind of input
 * before. So even a request with many repetitions causes few updates. A failure after Sent is not a repetition of a
 * failure before Sent: a recipient that failed with an unknown outcome ignores the first failure, but after Sent has
 * corrected its state, the second failure has an effect.
 */
function repeatFilter(): (cmdId: string, kind: RecipientInput['kind']) => boolean {
  const seen = new Set<string>()
  return (cmdId, kind) => {
    const isAfterSent = kind === 'failed' && seen.has(`${cmdId} sent`)
    const input = `${cmdId} ${isAfterSent ? 'failed after sent' : kind}`
    if (seen.has(input)) return true
    seen.add(input)
    return false
  }
}

type Reported = Pick<ReportedRecipient, 'state' | 'error'>

/**
 * Returns a function that finds the state and error of a number in a report. A report without recipients applies to the
 * whole message. The numbers of an encrypted message may be unencrypted in the report. So if the report does not
 * contain the number of a recipient, but lists as many recipients as the message has, the recipient is found by its
 * position in the message. Each number of the report is hashed at most once, because a report may have thousands of
 * numbers.
 */
function reportReader({ state, recipients = [] }: StateReport, count: number) {
  if (recipients.length === 0) return (): Reported | undefined => ({ state })
  const byNumber = firstOf(recipients, ({ phoneNumber }) => phoneNumber)
  let byHash: ReadonlyMap<string, Reported> | undefined
  return (number: string, index: number): Reported | undefined => {
    const listed = byNumber.get(number)
    if (listed !== undefined) return listed
    if (HASH.test(number)) byHash ??= firstOf(recipients, ({ phoneNumber }) => hashOf(phoneNumber))
    return byHash?.get(number) ?? (recipients.length === count ? recipients[index] : undefined)
  }
}

/** If several recipients have the same key, returns the first recipient. */
function firstOf(
  recipients: readonly ReportedRecipient[],
  keyOf: (recipient: ReportedRecipient) => string,
): ReadonlyMap<string, Reported> {
  return new Map(recipients.toReversed().map((recipient) => [keyOf(recipient), recipient]))
}

const HASH = /^[0-9a-f]{16}$/

/** Returns the form that a number has in a message whose numbers were replaced with hashes. */
function hashOf(phoneNumber: string): string {
  return createHash('sha256').update(phoneNumber).digest('hex').slice(0, 16)
}

/** Returns the inputs for a state. A final state is also the answer to a cancel, which came too late. */
function inputsOf({ state, error }: Pick<ReportedRecipient, 'state' | 'error'>, at: Date): RecipientInput[] {
  switch (state) {
    case 'Pending':
    case 'Processed':
      return [{ kind: 'processed', at }]
    case 'Sent':
      return [
        { kind: 'cancel-refused', at },
        { kind: 'sent', at },
      ]
    case 'Delivered':
      return [
        { kind: 'cancel-refused', at },
        { kind: 'delivered', at },
      ]
    case 'Failed':
      return [
        { kind: 'cancel-refused', at },
        { kind: 'failed', at, code: 'phone_failed' satisfies RelayFailureCode, reason: reasonOf(error) },
      ]
    case 'Cancelled':
      return [{ kind: 'cancelled', at }]
    default:
      return []
  }
}

function reasonOf(error: string | undefined): string {
  return storableText(error ?? '').slice(0, LONGEST_REASON) || 'the phone gave no reason'
}
