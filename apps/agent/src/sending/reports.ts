import { textFromAddress } from '@smsgw/sms/address'
import { statusFromOctet } from '@smsgw/sms/status'
import type { StatusReport } from '@smsgw/sms/status-report'
import { epochMsFromTimeStamp, isValidTimeStamp } from '@smsgw/sms/time-stamp'
import type { Change, Stamp } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { Keep } from '../journal/keep-writing.ts'
import type { AttemptRecord, CommandRecord } from '../journal/read.ts'
import { datedMs } from '../time/dated.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import { centreClockToleranceMs, type Doubts } from './doubts.ts'
import type { Happenings } from './happenings.ts'
import { Job } from './job.ts'
import type { SendingLimits } from './sending-settings.ts'
import type { SendingSim } from './sim.ts'

/**
 * Status reports: each is matched by SIM, reference and number, and then by the submit time nearest to its own. What fits
 * no part whose reference is known may be evidence for one in doubt. References come again after 256 parts, reports twice,
 * before the answer to their part, or days later.
 */
export class Reports {
  readonly #parts: ReportParts
  /** One after the other: two reports of one message must not both find it undelivered. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: ReportParts) {
    this.#parts = parts
  }

  /** Resolves when it is on disk; false when it fits nothing. */
  take(iccid: string, report: StatusReport): Promise<boolean> {
    const taken = this.#last.then(() => this.#take(iccid, report))
    this.#last = taken.catch(() => undefined)
    return taken
  }

  async #take(iccid: string, report: StatusReport): Promise<boolean> {
    const { journal, doubts, limits } = this.#parts
    // Looked at before the journal is read: what is answered meanwhile is not in it yet.
    const isAmbiguous =
      doubts.mayBeOfWhatIsBeingSent(iccid, report) || (await this.#mayBeOfOneWithoutReference(iccid, report))
    const records = await journal.read('commands-by-reference', {
      iccid,
      reference: report.messageReference,
      number: textFromAddress(report.recipient),
    })
    const match = bestMatch(records, report, this.#parts.time.stamp())
    const suspect = isAmbiguous ? undefined : doubts.suspect(iccid, report)
    if (match !== undefined && !(match.isLongSettled && suspect && suspect.distanceMs <= centreClockToleranceMs)) {
      const { record, at } = match
      if (record.command === undefined) return false
      const job = this.#parts.job(record.cmdId) ?? Job.restored(record, record.command, limits.lifeMs)
      await this.#reported(job, at, report.status)
      return true
    }
    if (suspect === undefined) return false
    await doubts.prove(suspect, report)
    await this.#consequences(suspect.job, suspect.at, report.status)
    return true
  }

  /** A part may have been accepted by an `OK` alone: then it is known, and nobody knows its reference. */
  async #mayBeOfOneWithoutReference(iccid: string, report: StatusReport): Promise<boolean> {
    const { journal, doubts, time } = this.#parts
    // Nothing else turns on it, and they are looked for among all.
    if (doubts.suspect(iccid, report) === undefined) return false
    const number = textFromAddress(report.recipient)
    const records = await journal.read('commands-without-reference', { iccid, number })
    const now = time.stamp()
    const stampMs = stampOf(report)
    return records.some(
      ({ plan, attempts }) =>
        plan?.requestsReport &&
        attempts.some(
          (attempt) =>
            attempt.result === 'accepted' &&
            attempt.reference === undefined &&
            distanceOf(attempt, stampMs, now) <= centreClockToleranceMs,
        ),
    )
  }

  async #reported(job: Job, at: number, status: number): Promise<void> {
    const part = job.parts[at]
    if (part === undefined || part.reports.has(status)) return
    const { keep, happenings, time } = this.#parts
    const stamp = time.stamp()
    part.reports.add(status)
    await keep([
      { kind: 'part-reported', cmdId: job.cmdId, part: at + 1, status, at: stamp },
      happenings.partReported(job.cmdId, at, status, stamp),
      ...this.#consequenceChanges(job, at, status),
    ])
  }

  async #consequences(job: Job, at: number, status: number): Promise<void> {
    await this.#parts.keep(this.#consequenceChanges(job, at, status))
  }

  /** For the message: delivered when every part is, failed when one never will be. */
  #consequenceChanges(job: Job, at: number, status: number): readonly Change[] {
    if (job.outcome !== 'sent') return []
    const { happenings, time } = this.#parts
    const stamp = time.stamp()
    const sim = { simNumber: job.simNumber ?? 1, phoneNumber: undefined }
    const { outcome } = statusFromOctet(status)
    switch (outcome) {
      case 'delivered':
        if (!job.isDelivered) return []
        job.outcome = 'delivered'
        return [
          { kind: 'command-corrected', cmdId: job.cmdId, outcome: 'delivered' },
          happenings.delivered(job.cmdId, sim, stamp),
        ]
      case 'still-trying':
        return []
      default:
        return undelivered(job, at, status, happenings, stamp)
    }
  }
}

export interface ReportParts {
  readonly journal: Journal
  readonly time: TrustedTime
  readonly limits: SendingLimits
  readonly keep: Keep
  readonly happenings: Happenings
  readonly doubts: Doubts
  /** One that is still under way. */
  readonly job: (cmdId: string) => Job | undefined
}

/** A part of what was sent will never arrive. */
function undelivered(job: Job, at: number, status: number, happenings: Happenings, stamp: Stamp): readonly Change[] {
  const { outcome, words } = statusFromOctet(status)
  job.outcome = 'failed'
  const which = job.parts.length > 1 ? `part ${at + 1} of ${job.parts.length}` : 'it'
  const reason = `the network could not deliver ${which}: ${words} (TP-ST ${hex(status)}). ${adviceFor(outcome)}`
  return [
    { kind: 'command-corrected', cmdId: job.cmdId, outcome: 'failed' },
    happenings.failed(job, 'report_failed', reason, undefined, stamp),
  ]
}

/** What reports that overtook the answer to the last part have to say of a message that was sent. */
export function overtaken(
  job: Job,
  sim: Pick<SendingSim, 'simNumber' | 'phoneNumber'>,
  happenings: Happenings,
  stamp: Stamp,
): readonly Change[] {
  if (job.isDelivered) return [happenings.delivered(job.cmdId, sim, stamp)]
  for (const [at, { reports }] of job.parts.entries()) {
    const last = [...reports].findLast((status) => isFailure(status))
    const isDelivered = [...reports].some((status) => statusFromOctet(status).outcome === 'delivered')
    if (last !== undefined && !isDelivered) return undelivered(job, at, last, happenings, stamp)
  }
  return []
}

function isFailure(status: number): boolean {
  const { outcome } = statusFromOctet(status)
  return outcome === 'failed-permanently' || outcome === 'gave-up'
}

interface Match {
  readonly record: CommandRecord
  /** 0-based, of its parts. */
  readonly at: number
  /**
   * It was submitted at quite another time, and how it ended has been reported: its reference has come again, and the
   * report is likely about the part that has it now.
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
  // Newest first among equals, as they were read.
  return candidates.sort((a, b) => a.distanceMs - b.distanceMs)[0]
}

function stampOf({ serviceCentreTimeStamp }: StatusReport): number | undefined {
  return isValidTimeStamp(serviceCentreTimeStamp) ? epochMsFromTimeStamp(serviceCentreTimeStamp) : undefined
}

/** The centre stamps it between COMMIT and RESULT. Evidence may have come long after. */
function distanceOf({ committed, resultAt }: AttemptRecord, stampMs: number | undefined, now: Stamp): number {
  if (stampMs === undefined) return 0
  const fromMs = committed && datedMs(committed, now)
  const toMs = resultAt && datedMs(resultAt, now)
  return Math.max(0, (fromMs ?? stampMs) - stampMs, stampMs - (toMs ?? stampMs))
}

function isFinal(status: number): boolean {
  return statusFromOctet(status).outcome !== 'still-trying'
}

function adviceFor(outcome: string): string {
  return outcome === 'gave-up'
    ? 'The receiver could not be reached in time; it may work another time.'
    : 'Sending it again as it is will not help; check the number.'
}

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0').toUpperCase()
}
