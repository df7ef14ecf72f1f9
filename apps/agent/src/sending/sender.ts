// Outbound path, step 12: chooses time and SIM, splits the text into parts. Next: modem-actor.ts.

import type { SendCommand } from '@smsgw/contract/link/command'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import { crashPoint } from '@smsgw/daemon/crash-point'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { LateOutcome } from '@smsgw/modem/send/submission'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Change } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import { type Keep, keepWriting, type WriteWatch } from '../journal/keep-writing.ts'
import type { CommandRecord } from '../journal/read.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import { CommandIntake } from './command-intake.ts'
import { ReportTaker } from './doubt/report-taker.ts'
import { attemptResultOf } from './message/attempt-result.ts'
import { clearContentOf } from './message/clear-content.ts'
import type { FieldOpener } from './message/encrypted-field.ts'
import { type OutgoingMessage, restoredMessage } from './message/message.ts'
import { planMessage, References } from './message/plan-message.ts'
import { attemptOf, PartSubmitter } from './part-submitter.ts'
import type { SendingLimits, SendingSettings } from './schedule/sending-settings.ts'
import { createWaitingReport, type SimStateOf } from './schedule/waiting-reasons.ts'
import { next } from './sending-machine.ts'
import type { SendingSim } from './sending-sim.ts'
import {
  type Moment,
  newSending,
  type Planned,
  type SendingEffect,
  type SendingInput,
  type SendingState,
} from './sending-state.ts'

export interface SenderOptions {
  readonly journal: Journal
  readonly clock: Clock
  readonly time: TrustedTime
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number
  readonly limits: SendingLimits
  /** Decrypts encrypted messages. */
  readonly opener: FieldOpener
  /** Called when a write fails, and when all failed writes have succeeded. Failed writes are kept and retried. */
  readonly journalWatch: WriteWatch
  /**
   * Called when the reference of a part becomes known, or when it is certain that the reference stays unknown. Reports
   * that arrived earlier may match now.
   */
  readonly onReference: (reference: number | undefined) => void
  /** Called for an internal error, which does not affect other messages. */
  readonly onProblem: (error: unknown) => void
  readonly onOpenChanged: (open: number) => void
}

/**
 * Sends messages. A command is written to the journal before it is acknowledged. After that, its message always ends as
 * sent, failed or cancelled, even if the process or the machine restarts.
 *
 * `next` makes the decisions, and this class performs the effects: journal, modems, timer.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #keep: Keep
  readonly #references: References
  readonly #submitter: PartSubmitter
  readonly #intake: CommandIntake
  readonly #atModem = new Set<Promise<void>>()
  readonly #reports: ReportTaker
  #state: SendingState
  #timer: Timer | undefined

  constructor(options: SenderOptions) {
    const { journal, clock, random, limits } = options
    this.#options = options
    this.#keep = keepWriting(journal, clock, options.journalWatch)
    this.#references = new References(random)
    this.#state = newSending(limits)
    this.#submitter = new PartSubmitter({
      step: (input) => this.#step(input),
      message: (cmdId) => this.#state.open.get(cmdId),
      stamp: () => options.time.stamp(),
      onProblem: options.onProblem,
    })
    this.#intake = new CommandIntake({
      ...{ journal, onProblem: options.onProblem },
      state: () => this.#state,
      moment: () => this.#moment(),
      step: (input) => this.#step(input),
    })
    this.#reports = new ReportTaker({
      ...{ journal, time: options.time },
      state: () => this.#state,
      step: (input) => this.#step(input),
      restored: (record) => this.#restored(record),
    })
  }

  /** Continues the messages of the last process. Must be called first. */
  async restore(): Promise<void> {
    const { journal, time } = this.#options
    const open = await journal.read('open-commands', {})
    const sinceMs = time.now().wallMs - reportsExpectedMs
    const givenUp = await journal.read('doubtful-commands', { sinceMs })
    const messagesOf = (records: readonly CommandRecord[]) => records.flatMap((record) => this.#restored(record) ?? [])
    // The start does not wait for these writes, because with a full disk they wait until disk space is available.
    this.#begin(this.#step({ kind: 'restored', open: messagesOf(open), givenUp: messagesOf(givenUp) }))
  }

  /**
   * Called when the relay has confirmed that the journal is not an old copy. Before that, the messages in the journal
   * are not sent.
   */
  confirm(): void {
    this.#begin(this.#step({ kind: 'journal-confirmed' }))
  }

  /** Stops sending the open messages, because a cloned agent may have the same journal, or the device was removed. */
  unconfirm(): void {
    this.#begin(this.#step({ kind: 'journal-unconfirmed' }))
  }

  /** Resolves when the commands are on disk. A command that is already in the journal is not changed. */
  accept(commands: readonly SendCommand[]): Promise<void> {
    return this.#intake.accept(commands)
  }

  /** Cancels a message if no part of it was passed to a modem yet. For an unknown command, writes a tombstone. */
  cancel(cmdId: string): Promise<void> {
    return this.#intake.cancel(cmdId)
  }

  /** Sets the SIM numbers of this device. A message for another SIM number fails. */
  simsKnown(simNumbers: readonly number[]): void {
    this.#begin(this.#step({ kind: 'sims-known', simNumbers }))
  }

  /**
   * Must be called when the SIM accepts messages: for the first time since its modem was set up, or again after an
   * interruption.
   */
  simReady(sim: SendingSim): Promise<void> {
    return this.#step({ kind: 'sim-ready', sim })
  }

  /**
   * Must be called when the modem has lost its network. Messages for which this SIM was chosen wait for a while,
   * because the network usually returns soon.
   */
  simLostNetwork(sim: SendingSim): void {
    this.#begin(this.#step({ kind: 'sim-lost-network', sim }))
  }

  /** Must be called when the modem is disconnected, or is set up again. */
  simGone(sim: SendingSim): void {
    this.#begin(this.#step({ kind: 'sim-gone', sim }))
  }

  lateResult(id: string, outcome: LateOutcome): Promise<void> {
    return this.#step({ kind: 'late-result', ...attemptOf(id), result: attemptResultOf(outcome) })
  }

  /** Returns false if the report does not match a part yet. A report may arrive before the reference of its part. */
  report(iccid: string, report: StatusReport): Promise<boolean> {
    return this.#reports.take(iccid, report)
  }

  /**
   * Takes a report if it is certainly the first report about a message that was sent a moment ago. Otherwise returns
   * undefined. Resolves when the report and the change `received` are on disk. Both are written in one commit.
   */
  recentReport(iccid: string, report: StatusReport, received: () => Change): Promise<void> | undefined {
    return this.#reports.takeRecent(iccid, report, received)
  }

  use(settings: SendingSettings): void {
    this.#begin(this.#step({ kind: 'settings', settings }))
  }

  /** Called when the clock can be trusted, or was set. */
  timeChanged(): void {
    this.#begin(this.#step({ kind: 'time-changed' }))
  }

  /** Puts the open messages of an old copy of the journal in doubt. Written together with the new id of the journal. */
  distrust(renounced: Change): Promise<void> {
    return this.#step({ kind: 'journal-distrusted', renounced })
  }

  /** The number of messages that have not ended. */
  get open(): number {
    return this.#state.open.size
  }

  get waiting(): number {
    return this.#state.schedule.queue.length
  }

  get inDoubt(): number {
    return this.#state.doubt.untilMs.size
  }

  get openIds(): Iterable<string> {
    return this.#state.open.keys()
  }

  /**
   * Returns why messages wait.
   *
   * @param isCounted returns false for messages that have just arrived, which are left out
   */
  waitingReport(stateOf: SimStateOf, isCounted?: (cmdId: string) => boolean): WaitingReport {
    return createWaitingReport(this.#state, this.#moment(), stateOf, isCounted)
  }

  /** Resolves when the parts at the modems have their results. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#atModem)
  }

  stop(): void {
    this.#begin(this.#step({ kind: 'stop' }))
  }

  /** Resolves when the writes and reads that the input caused are complete. */
  #step(input: SendingInput): Promise<void> {
    const { state, effects } = next(this.#state, input, this.#moment())
    this.#state = state
    const running = effects.flatMap((effect) => this.#run(effect) ?? [])
    return running.length === 0 ? resolved : Promise.all(running).then(() => undefined)
  }

  #run(effect: SendingEffect): Promise<void> | undefined {
    switch (effect.kind) {
      case 'write':
        return this.#write(effect)
      case 'commit':
        // Does not wait here: `PartSubmitter` waits for this write before the driver sends the PDU.
        return this.#options.journal.write(effect.changes).then(() => undefined)
      case 'read-history':
        return this.#readHistory(effect.sim)
      case 'plan':
        return this.#track(effect, this.#plan(effect))
      case 'submit':
        return this.#track(effect, this.#submitter.submit(effect))
      case 'set-timer': {
        this.#timer?.cancel()
        const { clock } = this.#options
        const delayMs = Math.max(0, effect.atMs - clock.nowMs())
        this.#timer = clock.after(delayMs, () => this.#begin(this.#step({ kind: 'timer' })))
        return undefined
      }
      case 'cancel-timer':
        this.#timer?.cancel()
        return undefined
      case 'reference-known':
        this.#options.onReference(effect.reference)
        return undefined
      case 'open-changed':
        this.#options.onOpenChanged(effect.open)
        return undefined
      case 'message-sent':
        this.#reports.messageSent(effect.message)
        return undefined
    }
  }

  async #write(effect: Extract<SendingEffect, { kind: 'write' }>): Promise<void> {
    const { changes, mayWaitMs, onWritten, onSettled } = effect
    try {
      await this.#keep(changes, { ...(mayWaitMs !== undefined && { mayWaitMs }) })
      if (effect.crashPoint !== undefined) crashPoint(effect.crashPoint)
    } finally {
      if (onSettled !== undefined) this.#begin(this.#step(onSettled))
    }
    if (onWritten !== undefined) await this.#step(onWritten)
  }

  /** Messages that were sent before a restart also count towards the limits. */
  async #readHistory(sim: SendingSim): Promise<void> {
    const { journal, time, onProblem } = this.#options
    let sentMs: readonly number[] = []
    try {
      sentMs = await journal.read('sent-lately', { iccid: sim.iccid, sinceMs: time.now().wallMs - dayMs })
    } catch (error) {
      // The SIM sends although its history is missing. Otherwise, it would send nothing until its modem restarts.
      onProblem(error)
    }
    this.#begin(this.#step({ kind: 'history-read', sim, sentMs }))
  }

  /** Plans or submits one message. An error affects only this message. Only `settled` waits for the modem. */
  #track({ sim, ...of }: Extract<SendingEffect, { kind: 'plan' | 'submit' }>, work: Promise<void>): undefined {
    const cmdId = 'cmdId' in of ? of.cmdId : of.command.cmdId
    const done = work
      .catch((error) => {
        this.#options.onProblem(error)
        return this.#step({ kind: 'sending-crashed', sim, cmdId })
      })
      .catch(this.#options.onProblem)
    this.#atModem.add(done)
    void done.finally(() => this.#atModem.delete(done))
  }

  async #plan({ sim, command, validForSeconds }: Extract<SendingEffect, { kind: 'plan' }>): Promise<void> {
    const clear = await clearContentOf(command, this.#options.opener)
    const { cmdId, withDeliveryReport: requestsReport } = command
    let planned: Planned
    if (clear.ok) {
      const { content, phoneNumber: destination } = clear
      const reference = this.#references.next(destination)
      planned = planMessage({ content, destination, requestsReport, reference, validForSeconds, sim })
    } else planned = { ok: false, code: 'undecryptable', reason: clear.reason }
    this.#begin(this.#step({ kind: 'planned', sim, cmdId, planned }))
  }

  /** A tombstone has no plan. */
  #restored(record: CommandRecord): OutgoingMessage | undefined {
    const { command } = record
    return command && restoredMessage(record, command, this.#options.limits.lifeMs)
  }

  #begin(work: Promise<void>): void {
    if (work !== resolved) work.catch(this.#options.onProblem)
  }

  #moment(): Moment {
    const { clock, time, random } = this.#options
    return {
      nowMs: clock.nowMs(),
      stamp: time.stamp(),
      local: (wallMs) => time.local(wallMs),
      minuteOfDay: (wallMs) => time.minuteOfDay(wallMs),
      random,
    }
  }
}

const resolved = Promise.resolve()
const dayMs = 24 * 60 * 60_000
/** Status reports may arrive days later, because a service centre keeps a message for up to a week. */
const reportsExpectedMs = 7 * dayMs
