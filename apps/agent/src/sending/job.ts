import type { SendCommand } from '@smsgw/contract/link/command'
import { statusFromOctet } from '@smsgw/sms/status'
import type { CommandOutcome, Plan, Stamp } from '../journal/change.ts'
import type { CommandRecord } from '../journal/read.ts'

/**
 * A message on its way through the agent.
 *
 * waiting → sending → waiting (a part was refused for now, or the modem went away) → … → over
 *                   → in doubt: nobody knows whether a part went out; nothing more of it goes → waiting | over
 *
 * Of each part the last attempt tells how it stands.
 */
export class Job {
  readonly command: SendCommand
  readonly acceptedMs: number
  /** By then it has to be sent, by the wall clock. */
  readonly deadlineMs: number
  readonly parts: JobPart[] = []
  /** The highest number an attempt has had, whatever plan it belonged to: no number is used twice. */
  #attemptsMade = 0
  plan: Plan | undefined
  /** The journal holds it: nothing of it goes on the air before. */
  isPlanWritten = false
  state: JobState = 'waiting'
  /** Chosen for it; undefined until there is one. */
  simNumber: number | undefined
  tries = 0
  /** By the monotonic clock. */
  notBeforeMs = 0
  /** What stood in the way last, in words. */
  lastReason: string | undefined
  isCancelled = false
  outcome: CommandOutcome | undefined
  /** Known from an old copy of the journal: a newer one may have sent it. */
  isDistrusted = false
  /** Sent again although the first attempt may have gone out: somebody asked for that. */
  possibleDuplicate = false

  constructor(command: SendCommand, receivedMs: number, lifeMs: number) {
    this.command = command
    this.acceptedMs = Date.parse(command.acceptedAt)
    this.deadlineMs = command.validUntil === undefined ? receivedMs + lifeMs : Date.parse(command.validUntil)
  }

  /** As the journal knows it. A part that was about to go out, and of which nothing more is known, is in doubt. */
  static restored(record: CommandRecord, command: SendCommand, lifeMs: number): Job {
    const job = new Job(command, record.received.wallMs, lifeMs)
    const note = (record.note ?? {}) as JobNote
    job.tries = note.tries ?? 0
    job.lastReason = note.lastReason
    job.possibleDuplicate = note.possibleDuplicate ?? false
    job.isDistrusted = note.isDistrusted ?? false
    job.#attemptsMade = Math.max(0, ...record.attempts.map(({ attempt }) => attempt))
    job.outcome = record.outcome
    if (record.plan !== undefined) {
      job.adopt(record.plan)
      job.isPlanWritten = true
    }
    for (const attempt of record.attempts) {
      const part = job.parts[attempt.part - 1]
      if (part === undefined) continue
      part.attempts = Math.max(part.attempts, attempt.attempt)
      part.committed = attempt.committed
      part.reference = attempt.reference
      part.state = attempt.result ?? 'unknown'
    }
    for (const { part, status } of record.reports) job.parts[part - 1]?.reports.add(status)
    if (job.isInDoubt || job.isDistrusted) job.state = 'in-doubt'
    if (record.outcome !== undefined) job.state = 'over'
    return job
  }

  get cmdId(): string {
    return this.command.cmdId
  }

  /** What has to be known again after a restart, beside plan and attempts. */
  get note(): JobNote {
    const { tries, lastReason, possibleDuplicate, isDistrusted } = this
    return {
      tries,
      ...(lastReason !== undefined && { lastReason }),
      ...(possibleDuplicate && { possibleDuplicate }),
      ...(isDistrusted && { isDistrusted }),
    }
  }

  adopt(plan: Plan): void {
    this.#attemptsMade = Math.max(this.#attemptsMade, ...this.parts.map(({ attempts }) => attempts))
    this.plan = plan
    this.isPlanWritten = false
    this.simNumber = plan.simNumber
    this.parts.length = 0
    for (const { pdu, tpduLength } of plan.parts) {
      this.parts.push({
        pdu,
        tpduLength,
        state: 'to-send',
        attempts: this.#attemptsMade,
        committed: undefined,
        reference: undefined,
        reports: new Set(),
      })
    }
  }

  /** Nothing of it is on the air: it may be planned anew, for another SIM. */
  forgetPlan(): void {
    this.plan = undefined
    this.simNumber = undefined
  }

  /** A part of it may be on the air: its plan and its SIM stand. */
  get hasBegun(): boolean {
    return this.parts.some(({ state }) => state === 'accepted' || state === 'unknown' || state === 'committed')
  }

  /** Nothing of it was ever handed to a modem. */
  get canBeCancelled(): boolean {
    return !this.hasBegun && !this.possibleDuplicate && !this.isDistrusted && this.outcome === undefined
  }

  get partsSent(): number {
    return this.parts.filter(({ state }) => state === 'accepted').length
  }

  get isSent(): boolean {
    return this.parts.length > 0 && this.partsSent === this.parts.length
  }

  get isInDoubt(): boolean {
    return this.parts.some(({ state }) => state === 'unknown')
  }

  /** 0-based; undefined when there is none left. */
  get nextPart(): number | undefined {
    const at = this.parts.findIndex(({ state }) => state !== 'accepted')
    return at < 0 ? undefined : at
  }

  get isDelivered(): boolean {
    return this.isSent && this.parts.every((part) => reportedAs(part, 'delivered'))
  }
}

export type JobState = 'waiting' | 'sending' | 'in-doubt' | 'over'

export interface JobPart {
  readonly pdu: string
  readonly tpduLength: number
  /** `committed`: it may be on the air, and its answer is awaited. */
  state: 'to-send' | 'committed' | 'accepted' | 'refused' | 'not-sent' | 'unknown'
  attempts: number
  committed: Stamp | undefined
  reference: number | undefined
  /** TP-ST of all that came. */
  readonly reports: Set<number>
}

interface JobNote {
  readonly tries?: number
  readonly lastReason?: string
  readonly possibleDuplicate?: boolean
  readonly isDistrusted?: boolean
  readonly [name: string]: number | string | boolean | undefined
}

function reportedAs({ reports }: JobPart, outcome: 'delivered'): boolean {
  return [...reports].some((status) => statusFromOctet(status).outcome === outcome)
}
