import type { Clock, Timer } from '@smsgw/modem/clock'
import type { LateOutcome } from '@smsgw/modem/submission'
import { textFromAddress } from '@smsgw/sms/address'
import type { StatusReport } from '@smsgw/sms/status-report'
import { epochMsFromTimeStamp, isValidTimeStamp } from '@smsgw/sms/time-stamp'
import { crashPoint } from '../crash-point.ts'
import type { Change } from '../journal/change.ts'
import type { Keep } from '../journal/keep-writing.ts'
import { datedMs } from '../time/dated.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import { outcomeUnknown, submitUnknown, withParts } from './failure-words.ts'
import type { Happenings } from './happenings.ts'
import type { Job, JobPart } from './job.ts'
import { numbersMatch, significantPart } from './numbers-match.ts'
import type { SendingLimits } from './sending-settings.ts'
import { changesOf, settle } from './submission.ts'
import type { UnwrittenResults } from './unwritten-results.ts'
import { type Verdict, verdictOf } from './verdict.ts'

/**
 * Messages of which nobody knows whether a part went out: PDU and Ctrl-Z were written, or may have been, and no answer
 * was read. Nothing of them is sent again by itself.
 *
 * open → resolved by evidence: a late answer, or a status report that fits no known part
 *      → given up after the window as `submit_unknown` (or sent once more, when that was asked for); remembered, since
 *        evidence that comes later still corrects it
 *
 * Meanwhile later messages from that SIM to that number wait, for two minutes at most, so that a report is unambiguous.
 */
export class Doubts {
  readonly #parts: DoubtParts
  readonly #open = new Map<Job, Timer>()
  /** With when, by the monotonic clock: the oldest first. */
  readonly #givenUp = new Map<Job, number>()
  /** By SIM and number. */
  readonly #holds = new Map<string, { readonly job: Job; readonly untilMs: number }>()

  constructor(parts: DoubtParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#open.size
  }

  /** The changes to be written with the result of the part. */
  open(job: Job, at: number, code: string): readonly Change[] {
    job.lastReason = `part ${at + 1}: ${code}`
    this.#watch(job, this.#parts.limits.doubtWindowMs)
    return [this.#parts.happenings.waiting(job.cmdId, 'outcome_unknown', outcomeUnknown, this.#parts.time.stamp())]
  }

  /** Known from the journal: the process ended between COMMIT and RESULT, or while it was in doubt. */
  async recovered(job: Job): Promise<void> {
    const { time, limits, keep, happenings } = this.#parts
    const { wallMs, trusted } = time.now()
    const committedMs = Math.max(
      0,
      ...job.parts.map((part) => (part.state === 'unknown' ? this.#committedMs(part) : 0)),
    )
    const passedMs = trusted && committedMs > 0 ? Math.max(0, wallMs - committedMs) : 0
    this.#watch(job, Math.max(0, limits.doubtWindowMs - passedMs))
    await keep([happenings.waiting(job.cmdId, 'outcome_unknown', outcomeUnknown, time.stamp())])
    crashPoint('doubt-journaled')
  }

  /** Given up earlier; later evidence still counts. */
  remember(job: Job): void {
    const nowMs = this.#parts.clock.nowMs()
    this.#givenUp.set(job, nowMs)
    for (const [oldest, sinceMs] of this.#givenUp) {
      if (nowMs - sinceMs < givenUpRememberedMs && this.#givenUp.size <= mostGivenUp) break
      this.#givenUp.delete(oldest)
    }
  }

  /** It may have been sent by a newer journal, of which this one is an old copy. The changes to be written with that. */
  distrust(job: Job): readonly Change[] {
    const { happenings, time, limits } = this.#parts
    job.isDistrusted = true
    this.#watch(job, limits.doubtWindowMs)
    return [
      { kind: 'command-noted', cmdId: job.cmdId, note: job.note },
      happenings.waiting(job.cmdId, 'outcome_unknown', outcomeUnknown, time.stamp()),
    ]
  }

  /** By the monotonic clock. */
  heldUntilMs(iccid: string, job: Job): number {
    if (this.#holds.size === 0) return 0
    const name = holdName(iccid, job.plan?.destination ?? job.command.phoneNumber)
    const hold = this.#holds.get(name)
    if (hold === undefined) return 0
    if (hold.untilMs <= this.#parts.clock.nowMs()) this.#holds.delete(name)
    // What it is about is not held by itself.
    return hold.job === job ? 0 : hold.untilMs
  }

  async lateResult(of: { cmdId: string; at: number; attempt: number }, outcome: LateOutcome): Promise<void> {
    const job = this.#all().find(({ cmdId }) => cmdId === of.cmdId)
    const part = job?.parts[of.at]
    if (job === undefined || part?.state !== 'unknown' || part.attempts !== of.attempt) return
    await this.#evidence(job, of.at, verdictOf(outcome), undefined)
    this.#parts.onReference(part.reference)
  }

  /** It may be the report of a part whose reference is not known yet, or not written down. */
  mayBeOfWhatIsBeingSent(iccid: string, report: StatusReport): boolean {
    return this.#parts.unwritten.some((job, part) => {
      const mayHaveItsReference =
        part.state === 'committed' ||
        (part.state === 'accepted' && (part.reference ?? report.messageReference) === report.messageReference)
      return mayHaveItsReference && this.#fits(iccid, report, job, part, true)
    })
  }

  /**
   * The part in doubt that a report is about, should it fit no known part: the number fits, and its time is not before the
   * COMMIT.
   */
  suspect(iccid: string, report: StatusReport): Suspect | undefined {
    const stampMs = this.#stampMs(report)
    const fitting = this.#all()
      .flatMap((job) => job.parts.map((part, at) => ({ job, part, at })))
      .filter(({ job, part }) => part.state === 'unknown' && this.#fits(iccid, report, job, part, true))
      .sort((a, b) => Math.abs(stampMs - this.#committedMs(a.part)) - Math.abs(stampMs - this.#committedMs(b.part)))
    const [nearest] = fitting
    // While it cannot be told when one of them was handed over, it may be about any: it is asked again when that is known.
    if (nearest === undefined || fitting.some(({ part }) => this.#committedMs(part) === 0)) return undefined
    const { job, at, part } = nearest
    return { job, at, distanceMs: Math.abs(stampMs - this.#committedMs(part)) }
  }

  /** The report proves that the part was accepted. */
  async prove({ job, at }: Suspect, report: StatusReport): Promise<void> {
    job.parts[at]?.reports.add(report.status)
    await this.#evidence(job, at, { kind: 'accepted', reference: report.messageReference }, report.status)
  }

  stop(): void {
    for (const timer of this.#open.values()) timer.cancel()
    this.#open.clear()
  }

  /** @param atAnyTime when nobody knows when the part was handed over, because nobody vouched for the clock */
  #fits(iccid: string, report: StatusReport, { plan }: Job, part: JobPart, atAnyTime = false): boolean {
    const committedMs = this.#committedMs(part)
    return (
      plan?.iccid === iccid &&
      plan.requestsReport &&
      numbersMatch(plan.destination, textFromAddress(report.recipient)) &&
      (committedMs > 0 ? this.#stampMs(report) >= committedMs - centreClockToleranceMs : atAnyTime)
    )
  }

  /** 0: nobody can tell any more. */
  #committedMs({ committed }: JobPart): number {
    return (committed && datedMs(committed, this.#parts.time.stamp())) ?? 0
  }

  #stampMs({ serviceCentreTimeStamp }: StatusReport): number {
    return isValidTimeStamp(serviceCentreTimeStamp)
      ? epochMsFromTimeStamp(serviceCentreTimeStamp)
      : this.#parts.time.now().wallMs
  }

  #all(): Job[] {
    return [...this.#open.keys(), ...this.#givenUp.keys()]
  }

  #watch(job: Job, windowMs: number): void {
    job.state = 'in-doubt'
    this.#open.get(job)?.cancel()
    this.#open.set(
      job,
      this.#parts.clock.after(windowMs, () => {
        this.#giveUp(job).catch(this.#parts.onTrouble)
      }),
    )
    if (job.plan === undefined) return
    const { iccid, destination } = job.plan
    const untilMs = this.#parts.clock.nowMs() + Math.min(windowMs, this.#parts.limits.destinationHoldMs)
    this.#holds.set(holdName(iccid, destination), { job, untilMs })
  }

  async #evidence(job: Job, at: number, verdict: Verdict, status: number | undefined): Promise<void> {
    const part = job.parts[at]
    if (part === undefined || job.plan === undefined) return
    settle(part, verdict, job.plan)
    const isWritten = this.#parts.unwritten.add(job, part)
    // The rest of it is not sent any more, whatever is known of this part.
    // Nor while another part is in doubt: results that a full disk kept back leave several.
    const isResolved = job.isSent || !(job.isInDoubt || job.isDistrusted || this.#givenUp.has(job))
    // Before it is on disk, which may take longer than is left of the window.
    if (isResolved) this.#forget(job)
    const key = { cmdId: job.cmdId, part: at + 1, attempt: part.attempts }
    const { keep, time, happenings } = this.#parts
    const stamp = time.stamp()
    await keep([
      ...changesOf(job, at, key, verdict, this.#parts),
      ...(status === undefined
        ? []
        : [
            { kind: 'part-reported' as const, cmdId: job.cmdId, part: at + 1, status, at: stamp },
            happenings.partReported(job.cmdId, at, status, stamp),
          ]),
    ]).finally(isWritten)
    if (isResolved) this.#parts.onResolved(job, verdict)
  }

  async #giveUp(job: Job): Promise<void> {
    this.#open.delete(job)
    // It has lasted its time: what nobody asks for again would stay for ever.
    this.#endHold(job)
    // The answer to its last part came, after all of it was put in doubt.
    if (job.outcome !== undefined) return
    const { keep, happenings, time } = this.#parts
    const stamp = time.stamp()
    if (job.command.onUncertain === 'resend' && !job.possibleDuplicate && !job.isDistrusted) {
      job.possibleDuplicate = true
      for (const part of job.parts) if (part.state === 'unknown') part.state = 'to-send'
      await keep([
        { kind: 'command-noted', cmdId: job.cmdId, note: job.note },
        happenings.waiting(job.cmdId, 'retrying', 'sent again as was asked for; it may arrive twice', stamp),
      ])
      this.#parts.onResolved(job)
      return
    }
    job.outcome = 'failed'
    this.remember(job)
    await keep([
      { kind: 'command-ended', cmdId: job.cmdId, at: stamp, outcome: 'failed' },
      happenings.failed(job, 'submit_unknown', withParts(job, submitUnknown), this.#parts.numberOf(job), stamp),
    ])
    // Evidence that came meanwhile goes its own way.
    if (!job.isSent) this.#parts.onResolved(job)
  }

  #forget(job: Job): void {
    this.#open.get(job)?.cancel()
    this.#open.delete(job)
    this.#givenUp.delete(job)
    this.#endHold(job)
  }

  #endHold(job: Job): void {
    const { plan } = job
    if (plan === undefined) return
    const name = holdName(plan.iccid, plan.destination)
    if (this.#holds.get(name)?.job === job) this.#holds.delete(name)
  }
}

export interface Suspect {
  readonly job: Job
  /** 0-based, of its parts. */
  readonly at: number
  /** Between the COMMIT and the time that the report gives for the submission. */
  readonly distanceMs: number
}

export interface DoubtParts {
  readonly clock: Clock
  readonly time: TrustedTime
  readonly limits: SendingLimits
  readonly keep: Keep
  readonly happenings: Happenings
  /** It goes on, or is over. With the verdict that decided it, when there was one. */
  readonly onResolved: (job: Job, verdict?: Verdict) => void
  readonly numberOf: (job: Job) => string | undefined
  readonly onTrouble: (error: unknown) => void
  readonly unwritten: UnwrittenResults
  /** A report that came before may fit now. */
  readonly onReference: (reference: number | undefined) => void
}

function holdName(iccid: string, destination: string): string {
  return `${iccid} ${significantPart(destination)}`
}

/** A day less than the journal keeps them, which is what evidence is written to. */
const givenUpRememberedMs = 7 * 24 * 60 * 60_000
const mostGivenUp = 5000

/** Service centres and agents do not share a clock. */
export const centreClockToleranceMs = 2 * 60_000
