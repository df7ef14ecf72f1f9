import type { BytePort } from './byte-port.ts'
import type { Cancellation } from './cancellation.ts'
import type { Clock } from './clock.ts'
import { acknowledgeDelivery } from './commands/message-settings.ts'
import type { Memory } from './commands/message-storage.ts'
import { networkTimeIn } from './commands/network-time.ts'
import { type Answer, ask, type Query } from './commands/query.ts'
import { bestSignal, type Signal } from './commands/signal.ts'
import { Dialogue, type DialogueEvent, type ResynchroniseOutcome } from './dialogue.ts'
import type { DialogueTelemetry } from './dialogue-telemetry.ts'
import { Lifecycle } from './lifecycle.ts'
import type { Deletion } from './message-slots.ts'
import type { ModemEvent } from './modem-event.ts'
import { defaultModemOptions, type ModemDefaults, type ModemOptions } from './modem-options.ts'
import { avoidedCommand, restartModem, switchRadioOffAndOn } from './modem-restart.ts'
import type { ModemState } from './modem-state.ts'
import { ModemStatus } from './modem-status.ts'
import { catalogue } from './profiles/catalogue.ts'
import { generic } from './profiles/generic.ts'
import type { Profile } from './profiles/profile.ts'
import { Receiver, type ReceiverNews, type Sweep } from './receive.ts'
import { beginSession } from './session-work.ts'
import { PinMemory } from './startup/pin-memory.ts'
import type { Session, StartupOutcome } from './startup.ts'
import type { StorageGauge } from './storage-gauges.ts'
import { type OutgoingPdu, type SubmitOptions, type SubmitOutcome, type Submitted, Submitter } from './submit.ts'
import type { ByteTrace } from './trace.ts'
import type { UssdOutcome, UssdSession } from './ussd-session.ts'

/**
 * A modem: takes messages, tells what comes in and how it is, in the states of `ModemState`. It is put together from
 * parts, each with one job: the lifecycle sets it up and notices restarts, the submitter sends, the receiver reads and
 * deletes, the status knows how it is. Nothing here rejects because of what a modem does.
 */
export class Modem {
  readonly #clock: Clock
  readonly #options: ModemDefaults & ModemOptions
  readonly #onEvent: (event: ModemEvent) => void
  readonly #dialogue: Dialogue
  readonly #lifecycle: Lifecycle
  readonly #submitter: Submitter
  readonly #receiver: Receiver
  readonly #status: ModemStatus
  readonly #onSimPin: ((pin: string) => void) | undefined
  #simPin: string | undefined
  #ussd: UssdSession | undefined
  #lastSim: string | undefined
  #stoppedWhy: string | undefined

  constructor(options: {
    readonly port: BytePort
    readonly clock: Clock
    readonly onEvent: (event: ModemEvent) => void
    readonly options?: ModemOptions
    readonly trace?: ByteTrace
    /** Whoever opens another port on the same modem gives the same one again. Default: one of its own. */
    readonly pinMemory?: PinMemory
    /** A corrected PIN was given, which the next `Modem` on another port needs too. */
    readonly onSimPin?: (pin: string) => void
  }) {
    const { port, clock, trace } = options
    this.#clock = clock
    this.#onEvent = options.onEvent
    this.#options = { ...defaultModemOptions, ...options.options }
    this.#simPin = options.options?.simPin
    this.#onSimPin = options.onSimPin
    this.#dialogue = new Dialogue({
      port,
      clock,
      onEvent: (event) => this.#heard(event),
      gapMs: this.#options.gapMs,
      ...(trace ? { trace } : {}),
    })
    this.#submitter = new Submitter({
      dialogue: this.#dialogue,
      clock,
      onOutcome: (id, outcome) => this.#submitted(id, outcome),
    })
    this.#receiver = new Receiver({
      clock,
      onIncoming: (incoming) => this.#onEvent({ kind: 'incoming', incoming }),
      onNews: (news) => this.#received(news),
    })
    this.#status = new ModemStatus(options.onEvent)
    this.#lifecycle = new Lifecycle({
      dialogue: this.#dialogue,
      clock,
      startup: () => {
        const { usb, serviceCentre, messageBearer } = this.#options
        return { ...this.#options, catalogue, simPin: this.#simPin, usb, serviceCentre, messageBearer }
      },
      pinMemory: options.pinMemory ?? new PinMemory(),
      retryMs: this.#options.retryMs,
      onStage: (stage) => this.#status.know({ absent: this.#lostReason(), setUp: stage }),
      onSetUp: (session, cancellation) => this.#begin(session, cancellation),
      onFailed: (failure) => this.#status.know({ setUp: failure }),
      onRestarted: (sign) => this.#onEvent({ kind: 'restarted', sign }),
      onChecking: (checking) => this.#submitter.hold(checking),
      onAbandoned: () => this.#end(),
    })
  }

  get state(): ModemState {
    return this.#status.state
  }

  /** Undefined unless it is set up. */
  get session(): Session | undefined {
    return this.#lifecycle.session
  }

  get storage(): readonly StorageGauge[] {
    return this.#status.gauges.all
  }

  get telemetry(): DialogueTelemetry & { readonly submissionsWaiting: number; readonly broadcastsIgnored: number } {
    const { broadcastsIgnored } = this.#receiver
    return { ...this.#dialogue.telemetry, submissionsWaiting: this.#submitter.waiting, broadcastsIgnored }
  }

  /** Sets the modem up. Resolves when that has ended; being registered may take longer, and is told as an event. */
  start(): Promise<StartupOutcome> {
    return this.#lifecycle.setUp()
  }

  /** For good: the port is not written to again. */
  stop(why = 'stopped'): void {
    this.#stoppedWhy = why
    this.#lifecycle.stop()
    this.#dialogue.close(why)
  }

  submit(pdu: OutgoingPdu, options: SubmitOptions): Promise<Submitted> {
    return this.#submitter.submit(pdu, options)
  }

  /** Looks into all memories for what has arrived; `again` reports also what was reported before. */
  sweep(options?: { readonly again?: boolean }): Promise<Sweep> {
    return this.#receiver.sweep(options)
  }

  /** Only when the message is safe elsewhere. Nothing is deleted unless the slot still holds this PDU. */
  deleteMessage(slot: { readonly memory: Memory; readonly index: number }, pdu: string): Promise<Deletion> {
    return this.#receiver.delete(slot.memory, slot.index, pdu)
  }

  /** For what was delivered straight and asks for it: only when it is safe. False when the modem did not take it. */
  async acknowledge(): Promise<boolean> {
    const answer = await this.ask(acknowledgeDelivery(this.session?.profile.acknowledgement ?? 'bare'))
    // CMS 340: nothing waits to be acknowledged, as when it was acknowledged before.
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

  /** Anything else there is a query for: operator, clock, phonebook, files of the SIM. */
  async ask<T>(query: Query<T>): Promise<Answer<T>> {
    return avoidedCommand(query, this.session?.profile) ?? ask(this.#dialogue, query)
  }

  resynchronise(): Promise<ResynchroniseOutcome> {
    return this.#dialogue.resynchronise()
  }

  /** Radio off and on again, then set up anew. */
  async restartRadio(): Promise<StartupOutcome> {
    await switchRadioOffAndOn(this.#dialogue)
    return this.start()
  }

  /** The modem restarts; its port may go away with it. One that does not answer is told all the same: it may hear. */
  async reset(profile: Profile = this.session?.profile ?? generic): Promise<void> {
    if (this.#dialogue.telemetry.state === 'in-step') await restartModem(this.#dialogue, profile)
    else for (const command of profile.radio.resetCommands) this.#dialogue.writeRaw(`\x1b${command}\r`)
  }

  /** A corrected PIN. */
  useSimPin(pin: string): Promise<StartupOutcome> {
    this.#simPin = pin
    this.#onSimPin?.(pin)
    return this.start()
  }

  #heard(event: DialogueEvent): void {
    switch (event.kind) {
      case 'unsolicited': {
        this.#lifecycle.hear(event, event.form.restart)
        const taken = this.#receiver.hear(event) || this.#status.registration.hear(event) || this.#ussd?.hear(event)
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
        this.#onEvent({ kind: 'late-result', id: event.submission, outcome: event.outcome })
        break
      case 'state':
        this.#onEvent({ kind: 'dialogue', state: event.state })
        if (event.state === 'closed') this.#lifecycle.stop()
        this.#status.know({ absent: this.#lostReason(), answering: event.state !== 'out-of-step' })
    }
  }

  #begin(session: Session, cancellation: Cancellation): void {
    const sim = session.sim.iccid ?? session.sim.imsi
    this.#status.know({ setUp: 'done' })
    this.#onEvent({ kind: 'started', session })
    this.#submitter.open(session.profile.submit)
    this.#ussd = beginSession({
      session,
      sameSim: this.#lastSim === sim,
      cancellation,
      dialogue: this.#dialogue,
      clock: this.#clock,
      options: this.#options,
      receiver: this.#receiver,
      registration: this.#status.registration,
      onUsage: (memory, usage) => this.#status.measured(memory, usage, session.messages.receiveInto),
      onEvent: this.#onEvent,
    })
    this.#lastSim = sim
  }

  #end(): void {
    this.#submitter.close()
    this.#receiver.attach(undefined)
    this.#ussd = undefined
    this.#status.forgetSession()
  }

  #lostReason(): string | undefined {
    const { telemetry, lostReason } = this.#dialogue
    return telemetry.state === 'closed' ? (this.#stoppedWhy ?? lostReason ?? 'the port was lost') : undefined
  }

  #received(news: ReceiverNews): void {
    this.#onEvent(news)
    if (news.kind === 'text-mode' || (news.kind === 'not-read' && news.why === 'text-mode')) this.#lifecycle.suspect()
  }

  #submitted(id: string, outcome: SubmitOutcome): void {
    this.#onEvent({ kind: 'submitted', id, outcome })
    if (outcome.kind === 'refused' && outcome.error.class === 'storage') this.#receiver.sweepSoon('thorough')
  }
}
