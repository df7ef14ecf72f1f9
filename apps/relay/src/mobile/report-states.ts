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
    const reportedOf = all.flatMap(({ cmdId, phoneNumber }, index) => {
      const reported = reportedFor(phoneNumber, index)
      return reported === undefined ? [] : [{ cmdId, reported }]
    })
    // Recipients whose time is unknown come first. So the last change of the message has a reported time, if any has.
    const [timed, untimed] = partition(reportedOf, ({ reported }) => timeIn(report, reported.state) !== undefined)
    return [...untimed, ...timed].flatMap(({ cmdId, reported }) =>
      inputsOf(reported, report, { isOnly: all.length === 1, now })
        .filter(({ input }) => !isRepeated(cmdId, input.kind))
        .map((timedInput) => ({ accountId, deviceId, cmdId, ...timedInput })),
    )
  })
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
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

type TimedInput = Pick<RecipientUpdate, 'offsetMinutes'> & { readonly input: RecipientInput }

/**
 * Returns the inputs for a state, and for the states before it whose time is in the report, because a phone may report
 * several steps at once. No step gets a later time than the next step. A final state is also the answer to a cancel,
 * which came too late.
 *
 * @param isOnly true if the message has one recipient, so that each time of the report is about this recipient
 */
function inputsOf(
  { state, error }: Reported,
  report: StateReport,
  { isOnly, now }: { readonly isOnly: boolean; readonly now: Date },
): TimedInput[] {
  const { at, offsetMinutes } = eventTime(timeIn(report, state) ?? '', now)
  const timed = (input: RecipientInput): TimedInput => ({ input, offsetMinutes })
  const earlier = (...kinds: readonly EarlierKind[]) => earlierInputs(report, kinds, at)
  const refusal = timed({ kind: 'cancel-refused', at })
  switch (state) {
    case 'Pending':
    case 'Processed':
      return [timed({ kind: 'processed', at })]
    case 'Sent':
      return [...earlier('processed'), refusal, timed({ kind: 'sent', at })]
    case 'Delivered':
      return [...earlier('processed', 'sent'), refusal, timed({ kind: 'delivered', at })]
    case 'Failed': {
      const code = 'phone_failed' satisfies RelayFailureCode
      const failure = timed({ kind: 'failed', at, code, reason: reasonOf(error) })
      // If the message has several recipients, the time of Sent may be about recipients that did not fail.
      return [...(isOnly ? earlier('processed', 'sent') : earlier('processed')), refusal, failure]
    }
    case 'Cancelled':
      return [...earlier('processed'), timed({ kind: 'cancelled', at })]
    default:
      return []
  }
}

type EarlierKind = 'processed' | 'sent'

/** Returns the inputs of these kinds that have a time in the report. */
function earlierInputs(report: StateReport, kinds: readonly EarlierKind[], before: Date): TimedInput[] {
  let next = before
  return kinds
    .toReversed()
    .flatMap((kind) => {
      const reportedAt = timeIn(report, kind === 'sent' ? 'Sent' : 'Processed')
      if (reportedAt === undefined) return []
      const { at, offsetMinutes } = eventTime(reportedAt, next)
      next = at
      return [{ input: { kind, at }, offsetMinutes }]
    })
    .toReversed()
}

/** Returns the time of a state in a report. A phone is in the state Pending when it has stored the message. */
function timeIn({ states = {} }: StateReport, state: string): string | undefined {
  const names = state === 'Processed' ? [state, 'Pending'] : [state]
  return names
    .map((name) => states[name])
    .find((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time))) as string | undefined
}

function reasonOf(error: string | undefined): string {
  return storableText(error ?? '').slice(0, LONGEST_REASON) || 'the phone gave no reason'
}
