import { urgentPriority } from '@smsgw/contract/link/command'
import { isWaitingReason, type WaitingReport, waitingReport } from '@smsgw/contract/link/waiting-report'
import type { MessageState } from '@smsgw/contract/messages/message-states'
import { type Waiting, type WaitingCause, type WaitingReason, waitingOf } from '@smsgw/contract/messages/waiting'
import { isLeased } from '../link/claim/lease.ts'
import type { Statements } from '../store/database.ts'
import { readDeviceReports } from './read-device-reports-statement.ts'

/** The columns of a recipient that determine its waiting reason. */
export interface WaitingFacts {
  readonly cmdId: string
  readonly deviceId: string
  readonly state: MessageState
  readonly errorCode: string | null
  /** True if the message was dispatched to the device. */
  readonly isDispatched: boolean
  /** The requested SIM. */
  readonly simNumber: number | null
  /** The requested priority. Null counts as 0. */
  readonly priority: number | null
  readonly scheduleAt: Date | null
  /** The time until which the message can be approved; null if it does not wait for approval. */
  readonly heldUntil: Date | null
  readonly createdAt: Date
}

/**
 * Returns the waiting reason of each recipient by its command id. Reasons are not stored per recipient, because stored
 * reasons would become outdated. The relay computes some of the reasons. A device reports the reasons of its queue as a
 * snapshot, which is valid only while the device is connected. Costs one statement, or none when every recipient has a
 * final state.
 */
export async function waitingRecipients(
  statements: Statements,
  accountId: string,
  recipients: readonly WaitingFacts[],
): Promise<ReadonlyMap<string, Waiting>> {
  const open = recipients.filter(({ state }) => mayWait(state))
  if (open.length === 0) return new Map()
  const holders = await readHolders(statements, accountId, [...new Set(open.map(({ deviceId }) => deviceId))])
  return new Map(
    open.flatMap((one) => {
      const holder = holders.get(one.deviceId)
      const cause = holder && causeOf(one, holder)
      return cause === undefined ? [] : [[one.cmdId, waitingOf(cause, `the device ${holder?.name}`)] as const]
    }),
  )
}

/** Returns the time until which a message can be approved; null if it does not wait for approval. */
export function heldUntil(message: {
  readonly approval: string | null
  readonly approvalUntil: Date | null
}): Date | null {
  return message.approval === 'pending' ? message.approvalUntil : null
}

interface Holder {
  readonly name: string
  readonly isOnline: boolean
  /** Report of the current connection, or undefined if the agent reports nothing. */
  readonly report: WaitingReport | undefined
  readonly now: Date
}

function causeOf(one: WaitingFacts, holder: Holder): WaitingCause | undefined {
  const { now } = holder
  if (!one.isDispatched && one.heldUntil !== null && one.state === 'Pending')
    return { reason: 'approval', until: one.heldUntil.toISOString() }
  if (!one.isDispatched && one.scheduleAt !== null && one.scheduleAt > now)
    return { reason: 'scheduled', until: one.scheduleAt.toISOString() }
  const reported = holder.isOnline ? reportedOf(one, holder) : undefined
  if (one.errorCode === 'outcome_unknown')
    return reported?.reason === 'outcome_unknown' ? reported : { reason: 'outcome_unknown' }
  if (!holder.isOnline) return { reason: 'device_offline' }
  if (one.state === 'Cancelling') return undefined
  if (reported !== undefined) return reported
  // An agent without reports names no other reason.
  if (one.isDispatched && holder.report === undefined && one.errorCode === 'retrying') return { reason: 'retry' }
  // The device has stored the message and is sending it, because its report leaves it out.
  if (one.isDispatched && one.state !== 'Pending') return undefined
  return now.getTime() - sinceOf(one).getTime() > QUEUED_AFTER_MS ? { reason: 'queued' } : undefined
}

/** The time within which a message is on its device if nothing delays it. */
const QUEUED_AFTER_MS = 5_000

function sinceOf({ scheduleAt, createdAt }: WaitingFacts): Date {
  return scheduleAt ?? createdAt
}

function reportedOf(one: WaitingFacts, { report, now }: Holder): WaitingCause | undefined {
  if (report === undefined) return undefined
  if (one.isDispatched) {
    const group = report.messages.find(({ cmdIds }) => cmdIds.includes(one.cmdId))
    return group && causeIn(group, now)
  }
  // The queue of the device is full. So the waiting reason of its SIMs also applies to this message.
  const wait = waitOfSims(one, report)
  return wait && causeIn(wait, now)
}

interface ReportedWait {
  readonly reason: string
  readonly until?: string | undefined
  readonly simNumber?: number | undefined
}

function waitOfSims({ simNumber, priority }: WaitingFacts, { sims, anySim }: WaitingReport): ReportedWait | undefined {
  const isUrgent = (priority ?? 0) >= urgentPriority
  const passes = ({ reason }: ReportedWait) => isUrgent && bypassed.has(reason)
  const wait = simNumber === null ? anySim : sims.find((sim) => sim.simNumber === simNumber)
  if (wait === undefined || passes(wait)) return undefined
  return simNumber === null && sims.some(passes) ? undefined : wait
}

/**
 * Reasons for which urgent messages do not wait. A SIM is `clock_unknown` only if its limits or work hours need the
 * time.
 */
const bypassed: ReadonlySet<string> = new Set<WaitingReason>(['limit', 'pause', 'work_hours', 'clock_unknown'])

function causeIn({ reason, until, simNumber }: ReportedWait, now: Date): WaitingCause | undefined {
  if (!isWaitingReason(reason)) return undefined
  // Leaves out the end of the wait if it has passed, because the next report is about to arrive.
  return { reason, simNumber, ...(until !== undefined && new Date(until) > now && { until }) }
}

async function readHolders(
  statements: Statements,
  accountId: string,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, Holder>> {
  const rows = await readDeviceReports(statements, accountId, deviceIds)
  return new Map(
    rows.map(({ id, name, leaseUntil, report, now }) => {
      const { data } = waitingReport.safeParse(report)
      return [id, { name, now, isOnline: isLeased(leaseUntil, now), report: data }]
    }),
  )
}

export function mayWait(state: MessageState): boolean {
  return state === 'Pending' || state === 'Processed' || state === 'Cancelling'
}
