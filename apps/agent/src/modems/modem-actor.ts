// Outbound path, step 13: waits until the modem is ready. Next: submit.ts.

import type { SimCard } from '@smsgw/contract/link/event'
import type { NetworkTime } from '@smsgw/modem/commands/network/network-time'
import type { OperatorSelection } from '@smsgw/modem/commands/network/operator-selection'
import type { Registration } from '@smsgw/modem/commands/network/registration'
import type { Signal } from '@smsgw/modem/commands/network/signal'
import type { ModemDriver } from '@smsgw/modem/modem-driver'
import type { ModemEvent } from '@smsgw/modem/modem-event'
import type { ModemState } from '@smsgw/modem/modem-state'
import type { IncomingCall } from '@smsgw/modem/receive/incoming-calls'
import { type ModemPort, type OpenResult, RecoveryRunner } from '@smsgw/modem/recovery/runner'
import type { RecoveryState } from '@smsgw/modem/recovery/state'
import type { LateOutcome } from '@smsgw/modem/send/submission'
import type { ModemSession, StartupOutcome } from '@smsgw/modem/setup/startup'
import { TraceRing } from '@smsgw/modem/wire/trace'
import type { ModemActorOptions, OpenedModem } from './modem-actor-options.ts'
import {
  alarmText,
  heldBackText,
  operatorFixedText,
  operatorRefusedText,
  type RecoveryReport,
  recoveredText,
  roamingUnknownText,
  shortcomingTexts,
  withoutAddress,
  withoutReferenceText,
} from './modem-descriptions.ts'
import { isRoaming, type ModemHealth, secondPortHealth, signalPercent, simStateOf } from './modem-health.ts'
import { ModemWarnings } from './modem-warnings.ts'
import { NetworkClock } from './network-clock.ts'
import { type ActiveSim, type SimListener, SimPresence, slotName } from './sim-presence.ts'

/** The events that a modem reports to the rest of the agent. */
export interface ModemListener extends SimListener {
  readonly onLateResult: (id: string, outcome: LateOutcome) => void
  readonly onCall: (sim: ActiveSim, call: IncomingCall) => void
  readonly onNetworkTime: (time: NetworkTime) => void
  readonly onChanged: (modem: ModemActor) => void
  readonly onProblem: (modem: ModemActor, priority: 'INFO' | 'WARN' | 'ERROR', message: string) => void
}

/**
 * One modem, driven by its `RecoveryRunner` and independent of all others.
 *
 * unidentified → identified, as soon as the id is known. After that, the modem never changes: if a different
 * modem answers on the port, the port is closed.
 */
export class ModemActor {
  readonly #options: ModemActorOptions
  readonly #runner: RecoveryRunner
  readonly #trace: TraceRing
  readonly #sim: SimPresence
  #opened: Pick<OpenedModem, 'address' | 'secondAddress' | 'isShared'>
  #port: ModemPort | undefined
  #state: ModemState = { name: 'absent', why: 'not opened yet' }
  #recovery: RecoveryState | undefined
  #registration: Registration | undefined
  #isRegistered = false
  #operator: string | undefined
  #signal: Signal | undefined
  readonly #networkClock: NetworkClock
  readonly #warnings: ModemWarnings
  #session: ModemSession | undefined
  #simNumber: number | undefined
  #pinGiven = false
  #hasHadProblem = false

  constructor(options: ModemActorOptions) {
    this.#opened = options
    this.#options = options
    this.#trace = new TraceRing(options.clock)
    this.#networkClock = new NetworkClock(options.clock, options.tuning?.modem?.wallClock?.epochMs ?? Date.now)
    this.#warnings = new ModemWarnings(options.clock, (problem) => options.listener.onProblem(this, 'WARN', problem))
    this.#sim = new SimPresence(options, () => !options.registration.isHeldBack() && this.#mayUseNetwork())
    this.#runner = new RecoveryRunner({
      clock: options.clock,
      open: () => this.#open(),
      pinMemory: options.pinMemory,
      trace: this.#trace,
      ...(options.tuning?.modem && { modemOptions: options.tuning.modem }),
      recovery: { ...defaultRecovery, ...options.tuning?.recovery },
      ...(options.powerCycle && { powerCycle: options.powerCycle }),
      onEvent: (event) => this.#handle(event),
      onState: (state) => {
        this.#recovery = state
      },
      onNews: (news) => this.#reportRecovery(news),
    })
  }

  start(): void {
    this.#runner.start()
  }

  async stop(): Promise<void> {
    this.#sim.leave()
    await this.#runner.stop()
  }

  /** Tries at once to open the modem, because a device was plugged in. */
  deviceAppeared(): void {
    this.#runner.deviceAppeared()
  }

  /** Sets the SIM number of the modem, and with it the configured PIN. Usually called before setup. */
  identified(simNumber: number): void {
    this.#simNumber = simNumber
    // Does not set the PIN of a modem in use, because that would restart its setup.
    if (this.#pinGiven || (this.modem !== undefined && this.#state.name !== 'blocked')) return
    const pin = this.#options.sims.pinOf(simNumber)
    this.#pinGiven = pin !== undefined
    if (pin !== undefined) void this.#runner.useSimPin(pin)
  }

  /** Enters a PIN. If the SIM accepts it, enters it again at each restart of the modem until this process ends. */
  useSimPin(pin: string): Promise<StartupOutcome | undefined> {
    this.#pinGiven = true
    return this.#runner.enterSimPin(pin)
  }

  async readNetworkTime(): Promise<void> {
    const { modem } = this
    const time = await modem?.readClock()
    if (this.modem !== modem || time === undefined) return
    if (this.#networkClock.take(time)) this.#options.listener.onNetworkTime(time)
  }

  restart(): void {
    this.#runner.restart()
  }

  /** Called when a real modem was found or removed. A virtual modem then stops sending, or may send again. */
  heldBackChanged(): void {
    this.#warnIfHeldBack()
    this.#sim.update(this.#state)
  }

  /** The port that is open; otherwise the port that was open last. */
  get address(): string {
    return this.#opened.address
  }

  get modem(): ModemDriver | undefined {
    return this.#runner.modem
  }

  get simNumber(): number | undefined {
    return this.#simNumber
  }

  /** The last bytes sent and received, masked. */
  get trace(): TraceRing {
    return this.#trace
  }

  get health(): ModemHealth {
    return {
      address: this.address,
      secondPort: secondPortHealth(this.#opened.secondAddress, this.#runner.usesSecondPort),
      isShared: this.#opened.isShared ?? false,
      state: this.#state,
      simNumber: this.#simNumber,
      session: this.#session,
      registration: this.#registration,
      isHeldWhileRoaming: isRoaming(this.#registration) && !this.#mayUseNetwork(),
      networkClockAheadMs: this.#networkClock.aheadMs,
      operator: this.#operator,
      signal: this.#signal,
      storage: this.modem?.storage ?? [],
      dialogue: this.modem?.telemetry,
      recovery: this.#recovery,
    }
  }

  /** The SIM as the relay shows it; undefined until the modem is identified. */
  get simCard(): SimCard | undefined {
    if (this.#simNumber === undefined) return undefined
    const phoneNumber = this.#phoneNumber()
    const iccid = this.#session?.sim.iccid
    const signal = signalPercent(this.#signal)
    return {
      simNumber: this.#simNumber,
      state: simStateOf(this.health),
      ...(phoneNumber !== undefined && { phoneNumber }),
      ...(this.#operator !== undefined && { carrierName: this.#operator.slice(0, 128) }),
      ...(iccid !== undefined && { iccid }),
      ...(signal !== undefined && { signal }),
      ...(this.#options.registration.isEmulated() && { isEmulated: true }),
    }
  }

  async #open(): Promise<OpenResult> {
    const result = await this.#options.open()
    if (result.kind !== 'opened') {
      this.#reportWhyNotOpened(result.words)
      return result
    }
    this.#opened = result
    this.#port = result.port
    const { registration } = this.#options
    if (registration.isEmulatedPort(result.address)) registration.emulationSeen(true)
    return result
  }

  /** Shows this reason instead of "not opened yet", or instead of the reason why the port was closed. */
  #reportWhyNotOpened(words: string): void {
    const why = withoutAddress(words, this.address)
    if (this.#state.name !== 'absent' || this.#state.why === why) return
    this.#state = { name: 'absent', why }
    this.#options.listener.onChanged(this)
  }

  /** Identifies a modem that waits for a PIN. The PIN depends on the SIM number, and the SIM number on the IMEI. */
  async #identifyForPin(): Promise<void> {
    const { modem } = this
    if (modem === undefined || this.#simNumber !== undefined) return
    const number = await modem.readNumber()
    const isOther = number !== undefined && !this.#options.registration.confirm(number)
    if (isOther && this.modem === modem) this.#closePort()
  }

  #handle(event: ModemEvent): void {
    const { listener } = this.#options
    switch (event.kind) {
      case 'state':
        this.#state = event.state
        if (event.state.name === 'absent' || event.state.name === 'probing') this.#registration = undefined
        if (event.state.name === 'blocked' && event.state.failure.reason === 'pin-required') void this.#identifyForPin()
        this.#sim.update(event.state)
        listener.onChanged(this)
        break
      case 'started':
        this.#begin(event.session)
        break
      case 'incoming':
        this.#sim.receive(event.incoming)
        break
      case 'late-result':
        listener.onLateResult(event.id, event.outcome)
        break
      case 'registration':
        this.#registration = event.best
        this.#isRegistered = event.registered
        this.#sim.update(this.#state)
        if (event.registered) void this.#readNetwork()
        listener.onChanged(this)
        break
      case 'signal':
        this.#signal = event.signal
        break
      case 'call':
        if (this.#sim.sim !== undefined) listener.onCall(this.#sim.sim, event.call)
        break
      case 'network-time':
        if (this.#networkClock.take(event.time)) listener.onNetworkTime(event.time)
        break
      case 'operator-selection':
        this.#reportSelection(event.selection)
        break
      case 'ussd':
        if (this.#simNumber !== undefined) this.#options.onUssd(this.#simNumber, event.answer)
        break
      case 'submitted':
        if (event.outcome.kind === 'unknown' && event.outcome.why === 'no-reference')
          this.#warnings.once(withoutReferenceText)
        break
      case 'not-read':
        // Reports nothing, because the state already shows that the port was closed or the modem does not answer.
        if (event.why === 'not-sent') break
        this.#warnings.hourly(`cannot read messages from memory ${event.memory} (${event.why})`)
        break
      case 'not-deleted':
        this.#warnings.hourly(
          `cannot delete messages from memory ${event.memory} (${event.why}): once it is full, no more messages arrive`,
        )
        break
      default:
        break
    }
  }

  /** Runs before the first incoming message of the session, so that the SIM of the message is known. */
  #begin(session: ModemSession): void {
    this.#sim.leave()
    const isConfirmed = this.#options.registration.confirm(session.identity)
    const { modem, simNumber } = this
    if (modem === undefined || simNumber === undefined || !isConfirmed) {
      this.#closePort()
      return
    }
    this.#session = session
    this.#operator = undefined
    const { iccid, imsi } = session.sim
    this.#recordEmulation(imsi)
    if (iccid !== undefined) this.#warnings.cardChanged(this.#options.registration.previousCard(iccid))
    const sim: ActiveSim = {
      simNumber,
      // A SIM that reports neither ICCID nor IMSI gets an id from its modem.
      iccid: iccid ?? imsi ?? `in ${slotName(session.identity, this.#options.registration.id() ?? this.address)}`,
      phoneNumber: this.#phoneNumber(),
      sendsText: modem.sends === 'text',
      submit: (message, options) => modem.submit(message, options),
      deletionsAtOnce: modem.deletionsAtOnce,
      deleteMessage: (slot, pdu) => modem.deleteMessage(slot, pdu),
      acknowledge: () => modem.acknowledge(),
    }
    this.#sim.enter(sim, this.#state)
    this.#useOperator(modem, simNumber)
    // A modem that reported its registration during setup does not report the same registration again.
    if (this.#isRegistered && this.#registration !== undefined) void this.#readNetwork()
    for (const shortcoming of session.shortcomings) this.#warnings.once(shortcomingTexts[shortcoming])
    if (this.#options.sims.sendWhileRoaming === false && session.shortcomings.includes('registration-unreadable'))
      this.#warnings.once(roamingUnknownText)
    this.#options.listener.onChanged(this)
  }

  #useOperator(modem: ModemDriver, simNumber: number): void {
    const choice = this.#options.sims.operatorOf?.(simNumber)
    if (choice === undefined) return
    if (modem.useOperator === undefined) this.#warnings.once(operatorFixedText)
    else modem.useOperator(choice)
  }

  #reportSelection(selection: OperatorSelection): void {
    if (selection.kind === 'refused' || selection.kind === 'no-answer')
      this.#warnings.hourly(operatorRefusedText(this.#simNumber, selection))
    // Reads the name again. The operator may have changed, and during the selection it was shown as a number.
    this.#operator = undefined
    void this.#readNetwork()
  }

  /** Records nothing while the IMSI is unknown. A modem that is registered in a network always has an IMSI. */
  #recordEmulation(imsi: string | undefined): void {
    const { registration } = this.#options
    const isEmulated = registration.isEmulatedPort(this.address) || imsi?.startsWith(TEST_NETWORK)
    if (isEmulated !== undefined) registration.emulationSeen(isEmulated)
    this.#warnIfHeldBack()
  }

  #warnIfHeldBack(): void {
    if (this.#session !== undefined && this.#options.registration.isHeldBack()) this.#warnings.once(heldBackText)
  }

  /** Called when another modem has answered on this port. The registry then assigns the port to the other modem. */
  #closePort(): void {
    this.#sim.forgetEarly()
    const port = this.#port
    // Waits until the event was emitted, because the port must not be closed while the modem is emitting an event.
    queueMicrotask(() => void port?.close())
  }

  /** Reads the operator, then the clock, which the network sets at about the time when the operator becomes known. */
  async #readNetwork(): Promise<void> {
    const { modem } = this
    if (modem === undefined || this.#operator !== undefined) return
    const operator = await modem.readOperator()
    if (this.modem !== modem || operator === undefined) return
    this.#operator = operator
    this.#options.listener.onChanged(this)
    await this.readNetworkTime()
  }

  /**
   * Returns false until the modem reports where it is registered, because it may be roaming. The modem reports its
   * registration directly after it becomes ready.
   */
  #mayUseNetwork(): boolean {
    if (this.#options.sims.sendWhileRoaming ?? true) return true
    return this.#registration?.status === 'home' || this.#registration?.status === 'home-sms-only'
  }

  #phoneNumber(): string | undefined {
    if (this.#simNumber === undefined) return undefined
    return this.#options.sims.phoneNumberOf(this.#simNumber) ?? this.#session?.sim.ownNumbers[0]?.number
  }

  #reportRecovery(news: RecoveryReport): void {
    const { listener } = this.#options
    switch (news.kind) {
      case 'raise-alarm':
        listener.onProblem(this, 'ERROR', withoutAddress(alarmText(news.cause), this.address))
        this.#hasHadProblem = true
        break
      case 'healed':
        // The first time is not a recovery, because the modem has just started.
        if (this.#hasHadProblem) listener.onProblem(this, 'INFO', recoveredText(news))
        this.#hasHadProblem = true
        break
      case 'clear-alarm':
      // Reports nothing yet, because `healed` or another alarm follows.
    }
  }
}

/** Mobile country code of test networks (ITU-T E.212). The emulator uses it; no operator does. */
const TEST_NETWORK = '001'
/** A modem on TCP causes no event when it is available again, so the agent checks at this interval. */
const defaultRecovery = { awayLookMs: 1_000 }
