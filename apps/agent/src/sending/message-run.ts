import type { Clock } from '@smsgw/modem/clock'
import type { Change } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { Keep } from '../journal/keep-writing.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import { backOffMs } from './back-off.ts'
import { clearContentOf } from './content-of.ts'
import type { Doubts } from './doubts.ts'
import type { FieldOpener } from './encrypted-field.ts'
import { type FailureCode, submitUnknown, ttlExpired, withParts } from './failure-words.ts'
import type { Happenings } from './happenings.ts'
import type { Job } from './job.ts'
import type { Lane } from './lane.ts'
import { planMessage } from './plan-message.ts'
import type { References } from './references.ts'
import { overtaken } from './reports.ts'
import type { SendingSim } from './sim.ts'
import { type PartEnd, submitPart } from './submission.ts'
import type { UnwrittenResults } from './unwritten-results.ts'
import type { Verdict } from './verdict.ts'

export interface MessageRunParts {
  readonly journal: Journal
  readonly clock: Clock
  readonly time: TrustedTime
  readonly chance: () => number
  readonly keep: Keep
  readonly unwritten: UnwrittenResults
  readonly happenings: Happenings
  readonly references: References
  readonly opener: FieldOpener | undefined
  readonly doubts: Doubts
  readonly onEnded: (job: Job) => void
  /** To be tried again, not before `notBeforeMs`. */
  readonly onWaiting: (job: Job) => void
  /** Undefined: there is none, and never will be. */
  readonly onReference: (reference: number | undefined) => void
  /** False when nothing more of it may go, although nothing stands against the message itself. */
  readonly mayGoOn: (job: Job) => boolean
  readonly onTrouble: (error: unknown) => void
}

/** One message by one SIM: planned once, then part after part, until it is sent or something stops it. */
export class MessageRun {
  readonly #parts: MessageRunParts

  constructor(parts: MessageRunParts) {
    this.#parts = parts
  }

  async send(job: Job, lane: Lane, moreWaiting: boolean): Promise<void> {
    job.state = 'sending'
    if (job.plan === undefined) await this.#plan(job, lane.sim)
    if (job.plan === undefined || job.isCancelled) return
    // Whom an encrypted message is for is known only now.
    if (this.#parts.doubts.heldUntilMs(lane.sim.iccid, job) > this.#parts.clock.nowMs()) return this.#wait(job)
    for (let at = job.nextPart; at !== undefined; at = job.nextPart) {
      if (this.#isLate(job)) return this.expire(job)
      if (!this.#parts.mayGoOn(job)) return this.#wait(job)
      const moreFollow = moreWaiting || at + 1 < job.parts.length
      const end = await this.#submit(job, at, lane, moreFollow)
      if (!this.#goesOn(job, lane, end)) return
    }
    lane.wentWell()
  }

  expire(job: Job): Promise<void> {
    if (job.command.validUntil !== undefined) return this.fail(job, 'ttl_expired', ttlExpired)
    return this.fail(job, 'gave_up', `not sent in time; what stood in the way: ${job.lastReason ?? 'no SIM was ready'}`)
  }

  async fail(job: Job, code: FailureCode, reason: string): Promise<void> {
    job.outcome = 'failed'
    job.state = 'over'
    await this.#parts.keep(this.#failure(job, code, reason))
    this.#parts.onEnded(job)
  }

  /** When evidence has shown that all of it went out. */
  async endSent(job: Job, sender: string | undefined): Promise<void> {
    const wasOver = job.outcome !== undefined
    await this.#parts.keep(this.#success(job, { simNumber: job.simNumber ?? 1, phoneNumber: sender }, wasOver))
    this.#parts.onEnded(job)
  }

  async #plan(job: Job, sim: SendingSim): Promise<void> {
    const clear = await clearContentOf(job.command, this.#parts.opener)
    if (job.isCancelled) return
    if (!clear.ok) return this.fail(job, 'undecryptable', clear.reason)
    const { validUntil, withDeliveryReport } = job.command
    const planned = planMessage({
      content: clear.content,
      destination: clear.phoneNumber,
      requestsReport: withDeliveryReport,
      reference: this.#parts.references.next(clear.phoneNumber),
      validForSeconds: validUntil === undefined ? undefined : (job.deadlineMs - this.#parts.time.now().wallMs) / 1000,
      sim: { simNumber: sim.simNumber, iccid: sim.iccid },
    })
    if (!planned.ok) return this.fail(job, 'unwritable', planned.reason)
    job.adopt(planned.plan)
  }

  async #submit(job: Job, at: number, lane: Lane, moreFollow: boolean): Promise<PartEnd> {
    const end = await submitPart(
      job,
      at,
      lane.sim,
      {
        moreFollow,
        mayStillGo: () => !job.isCancelled && !this.#isLate(job) && this.#parts.mayGoOn(job),
        consequences: (verdict) => this.#consequences(job, at, lane.sim, verdict),
      },
      this.#parts,
    )
    // A report may have come before the reference by which it is known, or before it was clear that there is none.
    const reference = end.verdict.kind === 'accepted' ? end.verdict.reference : undefined
    end.written.then(() => this.#parts.onReference(reference), this.#parts.onTrouble)
    return end
  }

  /** What is written together with the result of a part. */
  #consequences(job: Job, at: number, sim: SendingSim, verdict: Verdict): readonly Change[] {
    const { happenings, time, clock, chance } = this.#parts
    switch (verdict.kind) {
      case 'accepted':
        return job.isSent ? this.#success(job, sim, false) : []
      case 'refused': {
        if (verdict.again === 'never') {
          job.outcome = 'failed'
          return this.#failure(job, 'refused', verdict.reason)
        }
        job.tries += 1
        job.notBeforeMs = clock.nowMs() + backOffMs(job.tries, verdict.retryAfterMs, chance())
        job.lastReason = verdict.reason
        return [
          { kind: 'command-noted', cmdId: job.cmdId, note: job.note },
          happenings.waiting(job.cmdId, 'retrying', `tried again: ${verdict.reason}`, time.stamp()),
        ]
      }
      case 'unsent':
        return []
      case 'unknown':
        return this.#parts.doubts.open(job, at, verdict.code)
    }
  }

  #goesOn(job: Job, lane: Lane, { verdict }: PartEnd): boolean {
    switch (verdict.kind) {
      case 'accepted':
        if (job.outcome === undefined) return true
        lane.wentWell()
        this.#parts.onEnded(job)
        return false
      case 'refused':
        if (job.outcome !== undefined) this.#parts.onEnded(job)
        else this.#waitAgain(job, verdict.again === 'sim' ? lane : undefined, verdict.retryAfterMs)
        return false
      case 'unsent':
        if (job.isCancelled) return false
        if (this.#isLate(job)) this.expire(job).catch(this.#parts.onTrouble)
        else this.#waitAgain(job, lane, unsentPauseMs, longestUnsentPauseMs)
        return false
      case 'unknown':
        return false
    }
  }

  /** @param lane that is to leave it for a while, when the trouble is the SIM's or the modem's */
  #waitAgain(job: Job, lane: Lane | undefined, pauseMs: number, mostMs?: number): void {
    // Another SIM may take it.
    if (lane !== undefined && !job.hasBegun) job.forgetPlan()
    lane?.pause(pauseMs, mostMs)
    this.#wait(job)
  }

  #wait(job: Job): void {
    // Nothing of it is sent any more, whatever became of this part.
    if (job.isDistrusted) return
    job.state = 'waiting'
    this.#parts.onWaiting(job)
  }

  #success(job: Job, sim: Pick<SendingSim, 'simNumber' | 'phoneNumber'>, wasOver: boolean): readonly Change[] {
    const { happenings, time } = this.#parts
    const stamp = time.stamp()
    const outcome = job.isDelivered ? 'delivered' : 'sent'
    job.outcome = outcome
    return [
      wasOver
        ? { kind: 'command-corrected', cmdId: job.cmdId, outcome }
        : { kind: 'command-ended', cmdId: job.cmdId, at: stamp, outcome },
      happenings.sent(job, sim, stamp),
      ...overtaken(job, sim, happenings, stamp),
    ]
  }

  #failure(job: Job, code: FailureCode, reason: string): readonly Change[] {
    const stamp = this.#parts.time.stamp()
    // Why it was not sent again says nothing about the first time.
    const verdict = job.possibleDuplicate
      ? ({ code: 'submit_unknown', reason: `${submitUnknown}. Sending it again failed: ${reason}` } as const)
      : { code, reason }
    return [
      { kind: 'command-ended', cmdId: job.cmdId, at: stamp, outcome: 'failed' },
      this.#parts.happenings.failed(job, verdict.code, withParts(job, verdict.reason), undefined, stamp),
    ]
  }

  #isLate(job: Job): boolean {
    const { wallMs, trusted } = this.#parts.time.now()
    return trusted && wallMs >= job.deadlineMs
  }
}

/** A modem that takes nothing is not asked a hundred times a second. */
const unsentPauseMs = 1000
/** Nor left alone for an hour: what stands in the way is this machine's, and may be over any moment. */
const longestUnsentPauseMs = 60_000
