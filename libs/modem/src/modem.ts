import { Cancellation } from './cancellation.ts'
import type { Clock } from './clock.ts'
import { resetCommand, selectFunctionality } from './commands/functionality.ts'
import { type ModemNumber, readModemNumber } from './commands/identity.ts'
import { acknowledgeDelivery } from './commands/messages/message-settings.ts'
import type { Memory } from './commands/messages/message-storage.ts'
import { type NetworkTime, networkTimeIn, readClock } from './commands/network/network-time.ts'
import { readOperator } from './commands/network/operator.ts'
import type { OperatorChoice } from './commands/network/operator-selection.ts'
import { bestSignal, type Signal } from './commands/network/signal.ts'
import { type Executor, type Query, type QueryAnswer, runQuery } from './commands/query.ts'
import type { PinTries } from './commands/sim/pin-counter.ts'
import type { UssdOutcome, UssdSession } from './commands/ussd/ussd-session.ts'
import { Dialogue, type DialogueEvent } from './dialogue/dialogue.ts'
import type { CommandError } from './dialogue/errors/command-error.ts'
import type { ResynchroniseOutcome } from './dialogue/resynchronisation.ts'
import type { ModemDriver, ModemTelemetry } from './modem-driver.ts'
import type { ModemEvent } from './modem-event.ts'
import { defaultModemOptions, type ModemDefaults, type ModemOptions } from './modem-options.ts'
import type { ModemState } from './modem-state.ts'
import { ModemStatusWatch } from './modem-status.ts'
import { catalogue } from './profiles/catalogue.ts'
import { genericProfile } from './profiles/generic.ts'
import type { Profile } from './profiles/profile.ts'
import { hangUp, type IncomingCall, IncomingCalls } from './receive/incoming-calls.ts'
import type { Deletion } from './receive/message-slots.ts'
import { MessageReceiver, type ReceiverEvent, type Sweep } from './receive/receive.ts'
import type { StorageGauge } from './receive/storage-gauges.ts'
import { DirectCopies } from './second-port/direct-copies.ts'
import { SecondPort, type SecondPortOutcome } from './second-port/second-port.ts'
import {
  type OutgoingPdu,
  type OutgoingText,
  type SubmitOptions,
  type SubmitOutcome,
  type Submitted,
  Submitter,
} from './send/submit.ts'
import { Lifecycle } from './setup/lifecycle.ts'
import { OperatorLock } from './setup/operator-lock.ts'
import { PinMemory } from './setup/pin-memory.ts'
import { beginSessionWork } from './setup/session-work.ts'
import { SimPin } from './setup/sim-pin.ts'
import type { ModemSession, StartupOutcome } from './setup/startup.ts'
import { ToolkitResponder } from './toolkit/toolkit-responder.ts'
import type { BytePort } from './wire/byte-port.ts'
import type { ByteTrace } from './wire/trace.ts'
import type { Unsolicited } from './wire/unsolicited.ts'

/**
 * One modem: sends and receives messages and reports its status, in the states of `ModemState`. The parts: the
 * lifecycle sets up the modem and detects restarts, the submitter sends, the receiver reads and deletes messages, and
 * the status stores the reports of the modem.
 */
export class Modem implements ModemDriver {
  readonly sends = 'pdu'
  readonly deletionsAtOnce = 1
  readonly #clock: Clock
  readonly #options: ModemDefaults & ModemOptions
  readonly #onEvent: (event: ModemEvent) => void
  readonly #dialogue: Dialogue
  readonly #lifecycle: Lifecycle
  readonly #submitter: Submitter
  readonly #receiver: MessageReceiver
  readonly #status: ModemStatusWatch
  readonly #calls: IncomingCalls
  readonly #toolkit: ToolkitResponder
  readonly #operatorLock: OperatorLock
  readonly #simPin: SimPin
  #ussd: UssdSession | undefined
  /** Undefined until a second port is used. */
  #directCopies: DirectCopies | undefined
  #sessionEnd = new Cancellation()
  #lastSim: string | undefined
  #stoppedWhy: string | undefined

  constructor(options: {
    readonly port: BytePort
    readonly clock: Clock
    readonly onEvent: (event: ModemEvent) => void
    readonly options?: ModemOptions
    readonly trace?: ByteTrace
    /**
     * The records of entered PINs. All `Modem` objects of one modem share them, so that a refused PIN is not entered
     * again. Default: no records.
     */
    readonly pinMemory?: PinMemory
    /** The PIN, which all `Modem` objects of one modem share. Default: the PIN in `options`. */
    readonly simPin?: SimPin
  }) {
    const { port, clock, trace } = options
    this.#clock = clock
    this.#onEvent = options.onEvent
    this.#options = { ...defaultModemOptions, ...options.options }
    this.#simPin = options.simPin ?? new SimPin(options.options?.simPin)
    this.#dialogue = new Dialogue({
      port,
      clock,
      onEvent: (event) => this.#handleEvent(event),
      ...(trace ? { trace } : {}),
    })
    this.#submitter = new Submitter({
      dialogue: this.#dialogue,
      clock,
      onOutcome: (id, outcome) => this.#submitted(id, outcome),
    })
    this.#receiver = new MessageReceiver({
      clock,
      onIncoming: (incoming) => this.#onEvent({ kind: 'incoming', incoming }),
      onNews: (news) => this.#received(news),
    })
    this.#status = new ModemStatusWatch(options.onEvent)
    this.#calls = new IncomingCalls(clock, (call) => this.#called(call))
    this.#toolkit = new ToolkitResponder(this.#dialogue, clock)
    this.#operatorLock = new OperatorLock(this.#dialogue, clock, (selection) =>
      this.#onEvent({ kind: 'operator-selection', selection }),
    )
    this.#lifecycle = new Lifecycle({
      dialogue: this.#dialogue,
      clock,
      startup: () => ({ ...this.#options, catalogue, simPin: this.#simPin.value, usb: this.#options.usb }),
      pinMemory: options.pinMemory ?? new PinMemory(),
      onStage: (stage) => this.#status.update({ absent: this.#lostReason(), setUp: stage }),
      onProfile: ({ toolkit }) => this.#toolkit.learn(toolkit),
      onSetUp: (session, cancellation) => this.#begin(session, cancellation),
      onFailed: (failure) => this.#status.update({ setUp: failure }),
      onRestarted: (sign) => this.#onEvent({ kind: 'restarted', sign }),
      onChecking: (checking) => this.#submitter.hold(checking),
      onAbandoned: () => this.#end(),
    })
  }

  get state(): ModemState {
    return this.#status.state
  }

  /** Undefined until the modem is set up. */
  get session(): ModemSession | undefined {
    return this.#lifecycle.session
  }

  get storage(): readonly StorageGauge[] {
    return this.#status.gauges.all
  }

  get telemetry(): ModemTelemetry {
    const { broadcastsIgnored } = this.#receiver
    return { ...this.#dialogue.telemetry, submissionsWaiting: this.#submitter.waiting, broadcastsIgnored }
  }

  /** Sets the modem up. Resolves when the setup has ended. Registration may take longer and is reported as an event. */
  start(): Promise<StartupOutcome> {
    return this.#lifecycle.setUp()
  }

  /** Stops permanently. Nothing more is written to the port. */
  stop(why = 'stopped'): void {
    this.#stoppedWhy = why
    this.#lifecycle.stop()
    this.#dialogue.close(why)
  }

  async submit(message: OutgoingPdu | OutgoingText, options: SubmitOptions): Promise<Submitted> {
    if ('octets' in message) return this.#submitter.submit(message, options)
    return { kind: 'not-sent', why: 'unwritable' }
  }

  /** Reads all memories; `again` also reports messages that were reported before. */
  sweep(options?: { readonly again?: boolean }): Promise<Sweep> {
    return this.#receiver.sweep(options)
  }

  /** Deletes a message that the caller has stored, if the slot still contains this PDU. */
  deleteMessage(slot: { readonly memory: Memory; readonly index: number }, pdu: string): Promise<Deletion> {
    return this.#receiver.delete(slot.memory, slot.index, pdu)
  }

  /** Acknowledges a directly delivered message that is stored. Returns false if the modem refused. */
  async acknowledge(): Promise<boolean> {
    const answer = await this.ask(acknowledgeDelivery(this.session?.profile.acknowledgement ?? 'bare'))
    // CMS 340: the modem expects no acknowledgement, for example because an acknowledgement has already arrived.
    return answer.kind === 'value' || (answer.kind === 'refused' && answer.error.class === 'harmless')
  }

  async ussd(text: string): Promise<UssdOutcome> {
    return this.#ussd === undefined ? { kind: 'not-ready' } : this.#ussd.send(text)
  }

  async cancelUssd(): Promise<void> {
    await this.#ussd?.cancel()
  }

  signal(): Promise<Signal | undefined> {
    return bestSignal((query) => this.ask(query))
  }

  readNumber(): Promise<ModemNumber | undefined> {
    return readModemNumber((query) => this.ask(query))
  }

  async readOperator(): Promise<string | undefined> {
    const answer = await this.ask(readOperator)
    return answer.kind === 'value' && answer.value !== 'none' ? answer.value.name : undefined
  }

  async readClock(): Promise<NetworkTime | undefined> {
    const answer = await this.ask(readClock)
    return answer.kind === 'value' ? answer.value : undefined
  }

  async readPinTries(): Promise<PinTries | undefined> {
    for (const counter of this.session?.profile.pinCounters ?? []) {
      const answer = await this.ask(counter)
      if (answer.kind === 'value') return answer.value
    }
    return undefined
  }

  /** Runs any other query, for example for the registration. */
  async ask<T>(query: Query<T>): Promise<QueryAnswer<T>> {
    return avoidedCommand(query, this.session?.profile) ?? runQuery(this.#dialogue, query)
  }

  /** Uses a second port of this modem whenever the first port waits for an answer, until the session ends. */
  async useSecondPort(port: BytePort): Promise<SecondPortOutcome> {
    this.#directCopies ??= new DirectCopies(this.#clock)
    const { session } = this
    if (session === undefined) return 'silent'
    const first = {
      waitingMs: () => this.#dialogue.telemetry.waitingMs,
      heardElsewhere: () => this.#dialogue.heardElsewhere(),
      heardDirect: (event: Unsolicited) => {
        this.#dialogue.heardElsewhere(event)
        this.#takeDirect('second', event)
      },
    }
    const cancellation = this.#sessionEnd
    return new SecondPort({ port, clock: this.#clock, session, cancellation, receiver: this.#receiver, first }).begin()
  }

  resynchronise(): Promise<ResynchroniseOutcome> {
    return this.#dialogue.resynchronise()
  }

  /** Switches the radio off and on, then sets the modem up again. */
  async restartRadio(): Promise<StartupOutcome> {
    await switchRadioOffAndOn(this.#dialogue)
    return this.start()
  }

  /**
   * Restarts the modem; its port may disappear. The command is also written to a modem that does not answer, because
   * such a modem may still read its input.
   */
  async reset(profile: Profile = this.session?.profile ?? genericProfile): Promise<void> {
    this.#lifecycle.stopRetrying()
    if (this.#dialogue.telemetry.state === 'in-step') await restartModem(this.#dialogue, profile)
    else for (const command of profile.radio.resetCommands) this.#dialogue.writeRaw(`\x1b${command}\r`)
  }

  /** Sets a corrected PIN and sets the modem up again. */
  useSimPin(pin: string): Promise<StartupOutcome> {
    this.#simPin.value = pin
    return this.start()
  }

  useOperator(choice: OperatorChoice): void {
    this.#operatorLock.use(choice)
  }

  #handleEvent(event: DialogueEvent): void {
    switch (event.kind) {
      case 'unsolicited': {
        this.#lifecycle.handle(event, event.form.restart)
        this.#toolkit.handle(event)
        const taken =
          this.#takeDirect('first', event) ||
          this.#status.registration.handle(event) ||
          this.#ussd?.handle(event) ||
          (this.session !== undefined && this.#calls.handle(event))
        const time = networkTimeIn(event)
        if (time) this.#onEvent({ kind: 'network-time', time })
        else if (!taken) this.#onEvent({ kind: 'said', text: event.text, known: true })
        break
      }
      case 'unknown':
      case 'stale':
        this.#onEvent({ kind: 'said', text: event.text, known: false })
        break
      case 'noise':
        break
      case 'late-result':
        this.#submitter.handleLateResult(event.submission)
        this.#onEvent({ kind: 'late-result', id: event.submission, outcome: event.outcome })
        break
      case 'state':
        this.#onEvent({ kind: 'dialogue', state: event.state })
        if (event.state === 'closed') this.#lifecycle.stop()
        this.#status.update({ absent: this.#lostReason(), answering: event.state !== 'out-of-step' })
    }
  }

  /** Returns false if the code does not concern messages. */
  #takeDirect(port: 'first' | 'second', event: Unsolicited): boolean {
    const isDirect = (event.prefix === '+CMT' || event.prefix === '+CDS') && event.payload !== undefined
    if (isDirect && this.#directCopies?.isCopy(port, event.payload)) return true
    return this.#receiver.handle(event)
  }

  #begin(session: ModemSession, cancellation: Cancellation): void {
    this.#sessionEnd = cancellation
    const sim = session.sim.iccid ?? session.sim.imsi
    this.#status.update({ setUp: 'done' })
    this.#operatorLock.begin(cancellation)
    this.#onEvent({ kind: 'started', session })
    this.#submitter.open(session.profile.submit)
    this.#ussd = beginSessionWork({
      session,
      sameSim: this.#lastSim === sim,
      cancellation,
      dialogue: this.#dialogue,
      clock: this.#clock,
      options: this.#options,
      receiver: this.#receiver,
      registration: this.#status.registration,
      onUsage: (memory, usage) => this.#status.measured(memory, usage, session.messages.receiveInto),
      onMemorySelectable: () => void this.#lifecycle.setUp(),
      onEvent: this.#onEvent,
    })
    this.#lastSim = sim
  }

  #end(): void {
    this.#submitter.close()
    this.#receiver.attach(undefined)
    this.#calls.forget()
    this.#toolkit.forget()
    this.#ussd = undefined
    this.#status.forgetSession()
  }

  #lostReason(): string | undefined {
    const { telemetry, lostReason } = this.#dialogue
    return telemetry.state === 'closed' ? (this.#stoppedWhy ?? lostReason ?? 'the port was lost') : undefined
  }

  #received(news: ReceiverEvent): void {
    this.#onEvent(news)
    if (news.kind === 'text-mode' || (news.kind === 'not-read' && news.why === 'text-mode')) this.#lifecycle.suspect()
  }

  #called(call: IncomingCall): void {
    this.#onEvent({ kind: 'call', call })
    if (this.#options.hangUpCalls) void endCall(this.#dialogue)
  }

  #submitted(id: string, outcome: SubmitOutcome): void {
    this.#onEvent({ kind: 'submitted', id, outcome })
    if (outcome.kind === 'refused' && outcome.error.class === 'storage') this.#receiver.sweepSoon('thorough')
  }
}

/** Hangs up with the first command that the modem does not refuse. */
async function endCall(executor: Executor): Promise<void> {
  for (const query of hangUp) if ((await runQuery(executor, query)).kind !== 'refused') return
}

/** Switches the radio off and on again. If the modem refuses, sets the modem to minimum functionality and back. */
async function switchRadioOffAndOn(executor: Executor): Promise<void> {
  const off = await runQuery(executor, selectFunctionality(4))
  if (off.kind === 'refused') await runQuery(executor, selectFunctionality(0))
  await runQuery(executor, selectFunctionality(1))
}

/** Sends the reset commands one after the other until the modem accepts one. A missing answer counts as success. */
async function restartModem(executor: Executor, profile: Profile): Promise<void> {
  for (const text of profile.radio.resetCommands) {
    const answer = await runQuery(executor, resetCommand(text))
    if (answer.kind !== 'refused') return
  }
}

/** Returns a refusal instead of sending a command that the profile lists as harmful. */
function avoidedCommand<T>(query: Query<T>, profile: Profile | undefined): QueryAnswer<T> | undefined {
  const text = query.text.toUpperCase()
  if (!profile?.avoid.some((start) => text.startsWith(start))) return undefined
  const error: CommandError = {
    source: 'plain',
    code: undefined,
    text: '',
    class: 'unsupported',
    words: 'This command is harmful on this modem and was not sent.',
    advice: 'No action needed: the modem works without this command.',
    retryAfterMs: undefined,
    alarm: 'none',
  }
  return { kind: 'refused', error, partial: undefined }
}
