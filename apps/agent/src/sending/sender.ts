import type { SendCommand } from '@smsgw/contract/link/command'
import type { LateOutcome } from '@smsgw/modem/submission'
import type { StatusReport } from '@smsgw/sms/status-report'
import { crashPoint } from '../crash-point.ts'
import type { Change } from '../journal/change.ts'
import { type Keep, keepWriting } from '../journal/keep-writing.ts'
import { Turns } from '../turns.ts'
import { Deadlines } from './deadlines.ts'
import { Doubts } from './doubts.ts'
import { noSuchSim, notConfirmed } from './failure-words.ts'
import { Happenings } from './happenings.ts'
import { Job } from './job.ts'
import { Lane } from './lane.ts'
import { Lanes } from './lanes.ts'
import { MessageRun } from './message-run.ts'
import { Queue } from './queue.ts'
import { References } from './references.ts'
import { Reports } from './reports.ts'
import type { SenderOptions } from './sender-options.ts'
import { defaultSendingSettings, type SendingSettings } from './sending-settings.ts'
import { sentLately } from './sent-lately.ts'
import type { SendingSim } from './sim.ts'
import { SimChoice } from './sim-choice.ts'
import { submissionOf } from './submission.ts'
import { UnwrittenResults } from './unwritten-results.ts'
import type { Verdict } from './verdict.ts'

/**
 * Everything that goes out. A command is journaled before it is acknowledged; from then on it ends, whatever restarts:
 * sent, failed with a reason, or cancelled.
 *
 * Each SIM that is ready has a lane. What waits is in one queue, from which each lane takes what may go by it. A message
 * whose outcome nobody knows is set aside (`Doubts`); what status reports tell is matched in `Reports`.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #happenings: Happenings
  readonly #keep: Keep
  readonly #jobs = new Map<string, Job>()
  readonly #queue = new Queue()
  readonly #lanes: Lanes
  readonly #choice: SimChoice
  readonly #doubts: Doubts
  readonly #deadlines: Deadlines
  readonly #reports: Reports
  readonly #run: MessageRun
  readonly #turns = new Turns()
  readonly #underWay = new Set<Promise<void>>()
  #settings = defaultSendingSettings
  #knownSims: ReadonlySet<number> | undefined
  /** Taken from a journal that nobody has confirmed yet. */
  #unconfirmed: ReadonlySet<string> = new Set()
  #stopped = false

  constructor(options: SenderOptions) {
    const { journal, clock, time, chance, limits } = options
    this.#options = options
    this.#happenings = new Happenings(time)
    this.#keep = keepWriting(journal, clock, options.onJournalTrouble)
    this.#choice = new SimChoice(chance)
    const unwritten = new UnwrittenResults()
    const shared = { journal, clock, time, chance, limits, keep: this.#keep, happenings: this.#happenings, unwritten }
    this.#doubts = new Doubts({
      ...shared,
      onTrouble: options.onTrouble,
      onResolved: (job, verdict) => this.#resolved(job, verdict),
      numberOf: (job) => this.#numberOf(job),
      onReference: options.onReference,
    })
    this.#lanes = new Lanes({
      clock,
      pastOf: (sim) => sentLately(options, sim),
      newLane: (sim, sentMs) => this.#newLane(sim, sentMs),
      onReleased: (iccid) => this.#release(iccid),
    })
    this.#deadlines = new Deadlines(clock, time, (job) => this.#expired(job))
    this.#reports = new Reports({ ...shared, doubts: this.#doubts, job: (cmdId) => this.#jobs.get(cmdId) })
    this.#run = new MessageRun({
      ...shared,
      references: new References(chance),
      opener: options.opener,
      doubts: this.#doubts,
      onEnded: (job) => this.#ended(job),
      onWaiting: (job) => this.#queue.add(job),
      onReference: options.onReference,
      mayGoOn: (job) => !this.#stopped && !job.isDistrusted && !this.#unconfirmed.has(job.cmdId),
      onTrouble: options.onTrouble,
    })
  }

  /** What was under way when the process ended. Before anything else is asked of it. */
  async restore(): Promise<void> {
    const { journal, limits, time } = this.#options
    for (const record of await journal.read('open-commands', {})) {
      if (record.command === undefined) continue
      const job = Job.restored(record, record.command, limits.lifeMs)
      this.#jobs.set(job.cmdId, job)
      this.#deadlines.watch(job)
      // With a full disk it takes until there is room to write them down: nothing waits for that.
      if (job.isSent) this.#begin(this.#run.endSent(job, undefined))
      else if (job.state === 'in-doubt') this.#begin(this.#doubts.recovered(job))
      else {
        // Its SIM may have been changed for another meanwhile.
        if (!job.hasBegun) job.forgetPlan()
        this.#queue.add(job)
      }
    }
    this.#unconfirmed = new Set(this.#jobs.keys())
    const sinceMs = time.now().wallMs - reportsAwaitedMs
    for (const record of await journal.read('doubtful-commands', { sinceMs })) {
      if (record.command !== undefined) this.#doubts.remember(Job.restored(record, record.command, limits.lifeMs))
    }
  }

  /**
   * The relay's mark is not ahead of this journal: it is no old copy, and what was taken from it may be sent. Until then
   * it waits; what comes from the relay itself does not.
   */
  confirm(): void {
    this.#unconfirmed = new Set()
    this.#lanes.wake()
  }

  /** Somebody else may hold the same journal, or the device is no more: nothing of what is here goes on. */
  unconfirm(): void {
    this.#unconfirmed = new Set(this.#jobs.keys())
  }

  /** Resolves when they are on disk: from then on they are ours. One that was known already stays what it is. */
  accept(commands: readonly SendCommand[]): Promise<void> {
    crashPoint('command-arrived')
    // The same one twice in one frame is one.
    const each = [...new Map(commands.map((command) => [command.cmdId, command])).values()]
    return this.#turns.take(
      each.map(({ cmdId }) => cmdId),
      () => this.#accept(each),
    )
  }

  /** Until the first part was handed to the modem. For a command that has not come it leaves a tombstone. */
  cancel(cmdId: string): Promise<void> {
    crashPoint('cancel-arrived')
    return this.#turns.take([cmdId], () => this.#cancel(cmdId))
  }

  /** The SIMs that this agent has or had a moment ago; a message for another one fails instead of waiting for ever. */
  simsKnown(simNumbers: readonly number[]): void {
    this.#knownSims = new Set(simNumbers)
    for (const job of [...this.#queue]) this.#refuseUnknownSim(job)
  }

  /** It takes messages: for the first time since its modem was set up, or again. */
  simReady(sim: SendingSim): Promise<void> {
    return this.#lanes.simReady(sim)
  }

  /**
   * Its modem has lost its network, mostly for a moment. Its lane rests and keeps its pace, and so that no message goes out
   * by another number needlessly, what was chosen for it waits that moment.
   */
  simUnserved(sim: SendingSim): void {
    this.#lanes.simUnserved(sim)
  }

  /** Its modem is gone, or set up anew. */
  simGone(sim: SendingSim): void {
    this.#lanes.simGone(sim)
  }

  lateResult(id: string, outcome: LateOutcome): Promise<void> {
    return this.#doubts.lateResult(submissionOf(id), outcome)
  }

  /** False when it fits nothing that is known (yet): a report may come before the reference that it is about. */
  async report(iccid: string, report: StatusReport): Promise<boolean> {
    crashPoint('report-arrived')
    const matched = await this.#reports.take(iccid, report)
    crashPoint('report-journaled')
    return matched
  }

  use(settings: SendingSettings): void {
    this.#settings = settings
    this.#choice.selection = settings.simSelection
    this.#queue.reorder(settings.order)
    this.#lanes.wake()
  }

  /** The clock is vouched for now, or was set. */
  timeChanged(): void {
    this.#deadlines.look()
    this.#lanes.wake()
  }

  /**
   * This journal is an old copy: a newer one may have sent what is open here. None of it is sent, all of it is in doubt,
   * and that is written together with the change that gives the journal its new name.
   */
  async distrust(renounced: Change): Promise<void> {
    const doubts = [...this.#jobs.values()].flatMap((job) => {
      this.#queue.remove(job)
      return this.#doubts.distrust(job)
    })
    await this.#keep([renounced, ...doubts])
  }

  /** Messages in the journal that have not ended. */
  get open(): number {
    return this.#jobs.size
  }

  get waiting(): number {
    return this.#queue.size
  }

  get inDoubt(): number {
    return this.#doubts.size
  }

  /** When what is at a modem has its answer, and that is on disk. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopped = true
    this.#lanes.stop()
    this.#deadlines.stop()
    this.#doubts.stop()
  }

  async #accept(commands: readonly SendCommand[]): Promise<void> {
    const { journal, time, limits } = this.#options
    const strange = commands.filter(({ cmdId }) => !this.#jobs.has(cmdId))
    const records = await Promise.all(strange.map(({ cmdId }) => journal.read('command', { cmdId })))
    const fresh = strange.filter((_, at) => records[at] === undefined)
    const stamp = time.stamp()
    await journal.write([
      ...fresh.map((command) => ({ kind: 'command-received' as const, command, at: stamp })),
      // Known ones are told of again: the relay may have been restored from a backup.
      ...commands.map(({ cmdId }) => this.#happenings.processed(cmdId, stamp)),
    ])
    crashPoint('command-journaled')
    for (const command of fresh) this.#take(new Job(command, stamp.wallMs, limits.lifeMs))
    this.#lanes.wake()
  }

  async #cancel(cmdId: string): Promise<void> {
    const { journal, time } = this.#options
    const job = this.#jobs.get(cmdId)
    const record = job === undefined ? await journal.read('command', { cmdId }) : undefined
    const stamp = time.stamp()
    if (job === undefined && (record === undefined || record.outcome === 'cancelled')) {
      await journal.write([{ kind: 'tombstone', cmdId, at: stamp }, this.#happenings.cancelled(cmdId, stamp)])
    } else if (job === undefined || !job.canBeCancelled) {
      await journal.write([this.#happenings.cancelRefused(cmdId, stamp)])
    } else {
      // Seen by a submission that waits for its prompt: it is not written any more.
      job.isCancelled = true
      await this.#keep([
        { kind: 'command-ended', cmdId, at: stamp, outcome: 'cancelled' },
        this.#happenings.cancelled(cmdId, stamp),
      ])
      job.outcome = 'cancelled'
      this.#ended(job)
    }
  }

  #take(job: Job): void {
    this.#jobs.set(job.cmdId, job)
    this.#queue.add(job)
    this.#deadlines.watch(job)
    this.#refuseUnknownSim(job)
    this.#options.onOpenChanged(this.open)
  }

  #mayGoAt(job: Job, sim: SendingSim): number {
    if (job.isCancelled || job.isDistrusted || this.#stopped || this.#unconfirmed.has(job.cmdId)) {
      return Number.POSITIVE_INFINITY
    }
    if (job.command.validUntil !== undefined && !this.#options.time.now().trusted) return Number.POSITIVE_INFINITY
    if (job.plan !== undefined ? job.plan.iccid !== sim.iccid : this.#simOf(job) !== sim.simNumber) {
      return Number.POSITIVE_INFINITY
    }
    return Math.max(job.notBeforeMs, this.#doubts.heldUntilMs(sim.iccid, job))
  }

  #simOf(job: Job): number | undefined {
    if (job.command.simNumber !== undefined) return job.command.simNumber
    if (job.simNumber === undefined || !this.#lanes.ready.includes(job.simNumber)) {
      job.simNumber = this.#choice.choose(this.#lanes.ready)
    }
    return job.simNumber
  }

  #newLane(sim: SendingSim, sentMs: readonly number[]): Lane {
    const { clock, time, chance } = this.#options
    return new Lane(
      sim,
      {
        queue: this.#queue,
        clock,
        time,
        chance,
        pace: () => this.#settings.pace,
        mayGoAt: (job, by) => this.#mayGoAt(job, by),
        send: (job, by) => this.#send(job, by),
        onHeld: (by, why, untilMs) => this.#held(by, why, untilMs),
      },
      sentMs,
    )
  }

  /** Unless it has begun. */
  #release(iccid: string): void {
    for (const job of this.#queue) {
      if (!job.hasBegun && (job.plan === undefined || job.plan.iccid === iccid)) job.forgetPlan()
    }
  }

  async #send(job: Job, lane: Lane): Promise<void> {
    this.#queue.remove(job)
    const sending = this.#run
      .send(job, lane, this.#queue.size > 0)
      .catch((error) => this.#broke(job, error))
      .catch(this.#options.onTrouble)
    this.#underWay.add(sending)
    await sending.finally(() => this.#underWay.delete(sending))
  }

  /** What must not happen has: it costs this message, never the process nor the lane. */
  async #broke(job: Job, error: unknown): Promise<void> {
    this.#options.onTrouble(error)
    if (job.outcome !== undefined) return
    if (job.hasBegun) {
      for (const part of job.parts) if (part.state === 'committed') part.state = 'unknown'
      await this.#keep(this.#doubts.open(job, job.nextPart ?? 0, 'agent failed'))
    } else {
      await this.#run.fail(job, 'unwritable', 'this agent failed over it; its log says how')
    }
  }

  #begin(work: Promise<void>): void {
    work.catch(this.#options.onTrouble)
  }

  #expired(job: Job): void {
    // What is at the modem right now ends by its answer; what is in doubt by its window.
    if (job.state !== 'waiting' || job.isSent || job.isCancelled) return
    this.#queue.remove(job)
    if (this.#unconfirmed.has(job.cmdId)) job.lastReason = notConfirmed
    this.#begin(this.#run.expire(job))
  }

  /** It goes on where the doubt stopped it, or is over. */
  #resolved(job: Job, verdict: Verdict | undefined): void {
    if (job.isSent) this.#begin(this.#run.endSent(job, this.#numberOf(job)))
    else if (job.outcome !== undefined) this.#ended(job)
    else if (verdict?.kind === 'refused' && verdict.again === 'never') {
      this.#begin(this.#run.fail(job, 'refused', verdict.reason))
    } else {
      job.state = 'waiting'
      this.#queue.add(job)
      this.#lanes.wake()
    }
  }

  #ended(job: Job): void {
    job.state = 'over'
    this.#jobs.delete(job.cmdId)
    this.#queue.remove(job)
    this.#deadlines.forget(job)
    this.#options.onOpenChanged(this.open)
    this.#lanes.wake()
  }

  #refuseUnknownSim(job: Job): void {
    const asked = job.command.simNumber
    if (asked === undefined || this.#knownSims === undefined || this.#knownSims.has(asked)) return
    if (job.hasBegun || job.isCancelled) return
    this.#queue.remove(job)
    this.#begin(this.#run.fail(job, 'no_such_sim', noSuchSim(asked, this.#knownSims)))
  }

  #numberOf(job: Job): string | undefined {
    return this.#lanes.phoneNumberOf(job.plan?.iccid)
  }

  #held(sim: SendingSim, why: 'limit' | 'work-hours', untilMs: number): void {
    const stamp = this.#options.time.stamp()
    this.#begin(this.#keep([this.#happenings.held(sim.simNumber, why, untilMs, stamp)]))
  }
}

/** Reports come days later; a service centre keeps a message for a week at most. */
const reportsAwaitedMs = 7 * 24 * 60 * 60_000
