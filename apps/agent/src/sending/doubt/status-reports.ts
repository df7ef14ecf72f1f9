import { textFromAddress } from '@smsgw/sms/fields/address'
import { statusFromOctet } from '@smsgw/sms/fields/status'
import { epochMsFromTimeStamp, isValidTimeStamp } from '@smsgw/sms/fields/time-stamp'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Change, Stamp } from '../../journal/change.ts'
import { sharedCommitWaitMs } from '../../journal/journal.ts'
import type { AttemptRecord, CommandRecord } from '../../journal/read.ts'
import { datedMs } from '../../time/trusted-time.ts'
import { undelivered } from '../message/endings.ts'
import { isDelivered, type MessagePart, type OutgoingMessage, withPart } from '../message/message.ts'
import { deliveredEvent, partReportedEvent } from '../message/message-events.ts'
import { defaultSendingLimits } from '../schedule/sending-settings.ts'
import type { SendingInput, SendingState } from '../sending-state.ts'
import type { Step } from '../step.ts'
import { doubtfulMessages } from './doubts.ts'
import { numbersMatch } from './numbers-match.ts'

// A status report is matched by SIM, reference and number, and then by the submit time nearest to the time in the
// report. A report that matches no part with a known reference may be evidence for a part in doubt. References repeat
// after 256 parts. A report may arrive twice. It may also arrive before the answer for its part, or days later.

/** Returns the part that a report is about, or undefined if no such part is known yet. */
export function matchReport(
  state: SendingState,
  iccid: string,
  report: StatusReport,
  found: {
    /** The records with the reference of the report, newest first. */
    readonly records: readonly CommandRecord[]
    /**
     * Returns true if the report proves nothing, because no part is in doubt or because the report may be about another
     * part with unknown reference.
     */
    readonly isAmbiguous: boolean
  },
  now: Stamp,
): ReportMatch | undefined {
  const match = bestMatch(found.records, report, now)
  const suspect = found.isAmbiguous ? undefined : suspectOf(state, iccid, report, now)
  const isAboutSuspect = match?.isLongSettled && suspect && suspect.distanceMs <= centreClockToleranceMs
  if (match !== undefined && !isAboutSuspect) return { kind: 'known', record: match.record, at: match.at }
  return suspect && { kind: 'proves', cmdId: suspect.cmdId, at: suspect.at }
}

export type ReportMatch =
  | { readonly kind: 'known'; readonly record: CommandRecord; readonly at: number }
  | { readonly kind: 'proves'; readonly cmdId: string; readonly at: number }

/**
 * Handles a report for a part with a known reference. `restored` is the message if it has ended. It comes from the
 * journal, because the state does not contain ended messages.
 */
export function partReported(
  step: Step,
  { message: restored, at, status, together = [] }: Extract<SendingInput, { readonly kind: 'part-reported' }>,
): void {
  const changes = [...together, ...reportChanges(step, step.message(restored.cmdId) ?? restored, at, status)]
  if (changes.length === 0) return
  // While messages are being sent, the report shares the commit of the next message.
  step.write(changes, { mayWaitMs: step.state.schedule.queue.length > 0 ? sharedCommitWaitMs : 0 })
}

/** Returns no changes if the message already has this report. */
function reportChanges(step: Step, message: OutgoingMessage, at: number, status: number): readonly Change[] {
  const part = message.parts[at]
  if (part === undefined || part.reports.has(status)) return []
  const { cmdId } = message
  const reported = withPart(message, at, { reports: new Set([...part.reports, status]) })
  const { outcome, changes } = consequences(step, reported, at, status)
  step.put({ ...reported, outcome })
  return [
    { kind: 'part-reported', cmdId, part: at + 1, status, at: step.moment.stamp },
    partReportedEvent(cmdId, at, status, step.moment),
    ...changes,
  ]
}

/**
 * A sent message becomes delivered when all its parts are delivered, and failed when one part will never be delivered.
 */
function consequences(
  step: Step,
  message: OutgoingMessage,
  at: number,
  status: number,
): { readonly outcome: OutgoingMessage['outcome']; readonly changes: readonly Change[] } {
  const { outcome, cmdId } = message
  const reported = statusFromOctet(status).outcome
  const isOnWay = reported === 'still-trying' || (reported === 'delivered' && !isDelivered(message))
  if (outcome !== 'sent' || isOnWay) return { outcome, changes: [] }
  if (reported !== 'delivered') {
    return { outcome: 'failed', changes: undelivered(message, at, status, undefined, step.moment) }
  }
  const sim = { simNumber: message.simNumber ?? 1, phoneNumber: undefined }
  return {
    outcome: 'delivered',
    changes: [{ kind: 'command-corrected', cmdId, outcome: 'delivered' }, deliveredEvent(cmdId, sim, step.moment)],
  }
}

/** Returns true if the report may be about a part whose reference is not yet known or not yet on disk. */
export function mayBeUnwritten({ doubt }: SendingState, iccid: string, report: StatusReport, now: Stamp): boolean {
  return [...doubt.unwritten.values()].some((part) => {
    const mayHaveReference =
      part.state === 'committed' ||
      (part.state === 'accepted' && (part.reference ?? report.messageReference) === report.messageReference)
    return mayHaveReference && mayBeAbout(iccid, report, part, part.committed, now, true)
  })
}

/** A part in doubt that a report may be about. */
export interface Suspect {
  readonly cmdId: string
  /** The part, counted from 0. */
  readonly at: number
  readonly attempt: number
  readonly committedMs: number
  /** The difference between the time of the COMMIT and the time in the report. */
  readonly distanceMs: number
}

/** Returns the part in doubt that matches the report: the number is the same, and the time is not before the COMMIT. */
export function suspectOf(state: SendingState, iccid: string, report: StatusReport, now: Stamp): Suspect | undefined {
  const stampMs = stampOf(report) ?? now.wallMs
  const fitting = doubtfulMessages(state).flatMap(({ cmdId, plan, parts }) =>
    parts.flatMap((part, at): readonly Suspect[] => {
      if (part.state !== 'unknown' || !mayBeAbout(iccid, report, plan, part.committed, now, true)) return []
      const committedMs = committedAt(part.committed, now)
      return [{ cmdId, at, attempt: part.attempts, committedMs, distanceMs: Math.abs(stampMs - committedMs) }]
    }),
  )
  // While the time of a COMMIT is not known, the report may be about any part. The report is matched again when the
  // time is known.
  if (fitting.some(({ committedMs }) => committedMs === 0)) return undefined
  return fitting.sort((a, b) => a.distanceMs - b.distanceMs)[0]
}

/**
 * Returns true if the report may be about another attempt whose reference is unknown too. The reference is unknown if
 * the modem answered only `OK`, or if the attempt has no result. Attempts of messages that were sent again later are
 * included. If the disk was full, several parts of a message may be without a result, and the time does not show which
 * of these parts were sent.
 */
export function mayBeAboutAnother(
  records: readonly CommandRecord[],
  suspect: Suspect,
  report: StatusReport,
  now: Stamp,
): boolean {
  const stampMs = stampOf(report)
  const isPossible = (attempt: AttemptRecord): boolean => {
    if (attempt.reference !== undefined || attempt.committed === undefined) return false
    if (attempt.result === 'accepted' && distanceOf(attempt, stampMs, now) <= centreClockToleranceMs) return true
    if (attempt.result !== undefined && attempt.result !== 'unknown') return false
    const committedMs = committedAt(attempt.committed, now)
    if (committedMs === 0 || Math.abs(committedMs - suspect.committedMs) < apartMs) return true
    return Math.abs((stampMs ?? now.wallMs) - committedMs) < suspect.distanceMs
  }
  return records.some(
    ({ cmdId, plan, attempts }) =>
      plan?.requestsReport &&
      attempts.some((attempt) => {
        const { part, attempt: number } = attempt
        const isSuspect = cmdId === suspect.cmdId && part === suspect.at + 1 && number === suspect.attempt
        return !isSuspect && isPossible(attempt)
      }),
  )
}

/**
 * Returns true if SIM, number and time allow that the report is about the part.
 *
 * @param atAnyTime the value to return if the time of the COMMIT is not known, because the clock could not be trusted
 */
export function mayBeAbout(
  iccid: string,
  report: StatusReport,
  plan: Pick<NonNullable<OutgoingMessage['plan']>, 'iccid' | 'requestsReport' | 'destination'> | undefined,
  committed: MessagePart['committed'],
  now: Stamp,
  atAnyTime = false,
): boolean {
  if (plan?.iccid !== iccid || !plan.requestsReport) return false
  if (!numbersMatch(plan.destination, textFromAddress(report.recipient))) return false
  const committedMs = committedAt(committed, now)
  return committedMs > 0 ? (stampOf(report) ?? now.wallMs) >= committedMs - centreClockToleranceMs : atAnyTime
}

interface Match {
  readonly record: CommandRecord
  /** The part, counted from 0. */
  readonly at: number
  /**
   * Returns true if the part was submitted at another time and already has its final report. In this case, the new
   * report is probably about a more recent part.
   */
  readonly isLongSettled: boolean
}

function bestMatch(records: readonly CommandRecord[], report: StatusReport, now: Stamp): Match | undefined {
  const stampMs = stampOf(report)
  const candidates = records.flatMap((record) =>
    record.attempts
      .filter(({ result, reference }) => result === 'accepted' && reference === report.messageReference)
      .map((attempt) => {
        const { part } = attempt
        const distanceMs = distanceOf(attempt, stampMs, now)
        const isSettled = record.reports.some((each) => each.part === part && isFinal(each.status))
        return { record, at: part - 1, distanceMs, isLongSettled: isSettled && distanceMs > centreClockToleranceMs }
      }),
  )
  // The sort is stable, so of two candidates with the same distance the newer candidate comes first.
  return candidates.sort((a, b) => a.distanceMs - b.distanceMs)[0]
}

/** Returns the wall time of the COMMIT, or 0 if that time is not known. */
function committedAt(committed: Stamp | undefined, now: Stamp): number {
  return (committed && datedMs(committed, now)) ?? 0
}

function stampOf({ serviceCentreTimeStamp }: StatusReport): number | undefined {
  return isValidTimeStamp(serviceCentreTimeStamp) ? epochMsFromTimeStamp(serviceCentreTimeStamp) : undefined
}

/**
 * Returns how far the time in the report is from the submission. The service centre sets the time stamp of a part
 * between COMMIT and RESULT.
 */
function distanceOf({ committed, resultAt }: AttemptRecord, stampMs: number | undefined, now: Stamp): number {
  if (stampMs === undefined) return 0
  const fromMs = committed && datedMs(committed, now)
  const toMs = resultAt && datedMs(resultAt, now)
  return Math.max(0, (fromMs ?? stampMs) - stampMs, stampMs - (toMs ?? stampMs))
}

function isFinal(status: number): boolean {
  return statusFromOctet(status).outcome !== 'still-trying'
}

/** The largest expected difference between the clocks of service centre and agent. */
const centreClockToleranceMs = 2 * 60_000
/** The time for which a message in doubt delays later messages to the same number. */
const apartMs = defaultSendingLimits.destinationHoldMs
