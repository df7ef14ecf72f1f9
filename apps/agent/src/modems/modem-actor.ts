import type { SimCard } from '@smsgw/contract/link/event'
import type { Clock } from '@smsgw/modem/clock'
import { readImei } from '@smsgw/modem/commands/identity'
import { type NetworkTime, readClock } from '@smsgw/modem/commands/network-time'
import { readOperator } from '@smsgw/modem/commands/operator'
import type { Registration } from '@smsgw/modem/commands/registration'
import type { Signal } from '@smsgw/modem/commands/signal'
import type { UssdAnswer } from '@smsgw/modem/commands/ussd'
import type { Incoming } from '@smsgw/modem/incoming-message'
import type { Modem } from '@smsgw/modem/modem'
import type { ModemEvent } from '@smsgw/modem/modem-event'
import type { ModemOptions } from '@smsgw/modem/modem-options'
import type { ModemState } from '@smsgw/modem/modem-state'
import { type ClosablePort, type OpenedPort, type OpenResult, RecoveryRunner } from '@smsgw/modem/recovery-runner'
import type { RecoveryOptions, RecoveryState } from '@smsgw/modem/recovery-state'
import type { Session } from '@smsgw/modem/startup'
import type { PinMemory } from '@smsgw/modem/startup/pin-memory'
import type { LateOutcome } from '@smsgw/modem/submission'
import { TraceRing } from '@smsgw/modem/trace'
import { type ModemHealth, signalPercent, simStateOf } from './modem-health.ts'
import { alarmWords, healedWords, type RecoveryNews } from './recovery-words.ts'
import { type ActiveSim, type SimListener, SimPresence } from './sim-presence.ts'

/** What a modem has to tell the rest of the agent. */
export interface ModemListener extends SimListener {
  readonly onIncoming: (sim: ActiveSim, incoming: Incoming) => void
  readonly onLateResult: (id: string, outcome: LateOutcome) => void
  readonly onNetworkTime: (time: NetworkTime) => void
  readonly onChanged: (modem: ModemActor) => void
  readonly onTrouble: (modem: ModemActor, priority: 'INFO' | 'WARN' | 'ERROR', message: string) => void
}

/**
 * One modem, kept alive by its `RecoveryRunner`, and independent of every other: what happens to it happens here.
 *
 * nameless → named, once it has told its IMEI, and that modem for ever: another one that answers on its port is given up.
 */
export class ModemActor {
  readonly #options: ModemActorOptions
  readonly #runner: RecoveryRunner
  readonly #trace: TraceRing
  readonly #sim: SimPresence
  #address: string
  #port: ClosablePort | undefined
  #state: ModemState = { name: 'absent', why: 'not opened yet' }
  #recovery: RecoveryState | undefined
  #registration: Registration | undefined
  #operator: string | undefined
  #signal: Signal | undefined
  #session: Session | undefined
  #simNumber: number | undefined
  #pinGiven = false
  #hasHadTrouble = false
  readonly #notReadToldAtMs = new Map<string, number>()

  constructor(options: ModemActorOptions) {
    this.#address = options.address
    this.#options = options
    this.#trace = new TraceRing(options.clock)
    this.#sim = new SimPresence(options.listener)
    this.#runner = new RecoveryRunner({
      clock: options.clock,
      open: () => this.#open(),
      pinMemory: options.pinMemory,
      trace: this.#trace,
      ...(options.modemOptions && { modemOptions: options.modemOptions }),
      recovery: { ...patience, ...options.recovery },
      onEvent: (event) => this.#heard(event),
      onState: (state) => {
        this.#recovery = state
      },
      onNews: (news) => this.#news(news),
    })
  }

  start(): void {
    this.#runner.start()
  }

  async stop(): Promise<void> {
    this.#sim.leave()
    await this.#runner.stop()
  }

  /** Something was plugged in: no need to wait for the next look. */
  deviceAppeared(): void {
    this.#runner.deviceAppeared()
  }

  /** Who it is, mostly before anything else is asked of it: its SIM number, and the PIN that belongs to that. */
  identified(simNumber: number): void {
    this.#simNumber = simNumber
    // Given to a modem that is set up, it would be set up anew: it is kept for the next time.
    if (this.#pinGiven || (this.modem !== undefined && this.#state.name !== 'blocked')) return
    const pin = this.#options.pinOf(simNumber)
    this.#pinGiven = pin !== undefined
    if (pin !== undefined) void this.#runner.useSimPin(pin)
  }

  /** The port that it is on, or was on last. */
  get address(): string {
    return this.#address
  }

  get modem(): Modem | undefined {
    return this.#runner.modem
  }

  get simNumber(): number | undefined {
    return this.#simNumber
  }

  /** The last bytes that went to and fro; what it shows is masked. */
  get trace(): TraceRing {
    return this.#trace
  }

  get health(): ModemHealth {
    return {
      address: this.#address,
      state: this.#state,
      simNumber: this.#simNumber,
      session: this.#session,
      registration: this.#registration,
      operator: this.#operator,
      signal: this.#signal,
      storage: this.modem?.storage ?? [],
      dialogue: this.modem?.telemetry,
      recovery: this.#recovery,
    }
  }

  /** As the relay shows it; undefined while nobody knows which one it is. */
  get simCard(): SimCard | undefined {
    if (this.#simNumber === undefined) return undefined
    const phoneNumber = this.#phoneNumber()
    const iccid = this.#session?.sim.iccid
    const signal = signalPercent(this.#signal)
    return {
      simNumber: this.#simNumber,
      state: simStateOf(this.#state, this.#registration),
      ...(phoneNumber !== undefined && { phoneNumber }),
      ...(this.#operator !== undefined && { carrierName: this.#operator.slice(0, 128) }),
      ...(iccid !== undefined && { iccid }),
      ...(signal !== undefined && { signal }),
    }
  }

  async #open(): Promise<OpenResult> {
    const result = await this.#options.open()
    if (result.kind !== 'opened') return result
    this.#address = result.address
    this.#port = result.port
    return result
  }

  /** A PIN belongs to a SIM number, and that to the IMEI: the modem may not have been able to tell it before. */
  async #enterPin(): Promise<void> {
    const { modem } = this
    if (modem === undefined || this.#simNumber !== undefined) return
    const imei = await modem.ask(readImei)
    if (imei.kind === 'value' && this.modem === modem && !this.#options.isMine(imei.value)) this.#giveUpPort()
  }

  #heard(event: ModemEvent): void {
    const { listener } = this.#options
    switch (event.kind) {
      case 'state':
        this.#state = event.state
        if (event.state.name === 'blocked' && event.state.failure.reason === 'pin-required') void this.#enterPin()
        this.#sim.heard(event.state)
        listener.onChanged(this)
        break
      case 'started':
        this.#begin(event.session)
        break
      case 'incoming':
        if (this.#sim.sim !== undefined) listener.onIncoming(this.#sim.sim, event.incoming)
        break
      case 'late-result':
        listener.onLateResult(event.id, event.outcome)
        break
      case 'registration':
        this.#registration = event.best
        if (event.registered) void this.#askNetwork()
        listener.onChanged(this)
        break
      case 'signal':
        this.#signal = event.signal
        break
      case 'network-time':
        listener.onNetworkTime(event.time)
        break
      case 'ussd':
        if (this.#simNumber !== undefined) this.#options.onUssd(this.#simNumber, event.answer)
        break
      case 'not-read':
        this.#tellNotRead(`the memory ${event.memory} could not be read (${event.why})`)
        break
      default:
        break
    }
  }

  /** What comes in is told after this, so the SIM is known by then. */
  #begin(session: Session): void {
    this.#sim.leave()
    const { modem } = this
    const isMine = this.#options.isMine(session.identity.imei)
    const simNumber = this.#simNumber
    if (modem === undefined || simNumber === undefined || !isMine) {
      this.#giveUpPort()
      return
    }
    this.#session = session
    this.#operator = undefined
    const { iccid, imsi } = session.sim
    if (iccid !== undefined) this.#tellNewCard(this.#options.cardBefore(iccid))
    const sim: ActiveSim = {
      simNumber,
      // Where a SIM tells neither, it is the one in that modem.
      iccid: iccid ?? imsi ?? `in ${session.identity.imei}`,
      phoneNumber: this.#phoneNumber(),
      submit: (pdu, options) => modem.submit(pdu, options),
      deleteMessage: (slot, pdu) => modem.deleteMessage(slot, pdu),
      acknowledge: () => modem.acknowledge(),
    }
    this.#sim.enter(sim, this.#state)
    this.#options.listener.onChanged(this)
  }

  #tellNewCard(before: string | undefined): void {
    if (before === undefined) return
    this.#options.listener.onTrouble(
      this,
      'WARN',
      `another SIM is in it than before (that one ended in ${before.slice(-4)}): ` +
        'its number and PIN in the configuration are those of the slot, so check them',
    )
  }

  /** It is looked at again every minute, and each line goes to the relay: once an hour will do. */
  #tellNotRead(words: string): void {
    const nowMs = this.#options.clock.nowMs()
    if (nowMs - (this.#notReadToldAtMs.get(words) ?? Number.NEGATIVE_INFINITY) < notReadAgainMs) return
    this.#notReadToldAtMs.set(words, nowMs)
    this.#options.listener.onTrouble(this, 'WARN', words)
  }

  /** Another modem has taken the place of this one: whoever it is, it is found there. */
  #giveUpPort(): void {
    const port = this.#port
    // Not while it is telling.
    queueMicrotask(() => void port?.close())
  }

  /** The clock of the modem is right once the network has set it: about when it has told its name. */
  async #askNetwork(): Promise<void> {
    const { modem } = this
    if (modem === undefined || this.#operator !== undefined) return
    const operator = await modem.ask(readOperator)
    if (this.modem !== modem || operator.kind !== 'value' || operator.value === 'none') return
    this.#operator = operator.value.name
    this.#options.listener.onChanged(this)
    const time = await modem.ask(readClock)
    if (this.modem === modem && time.kind === 'value') this.#options.listener.onNetworkTime(time.value)
  }

  #phoneNumber(): string | undefined {
    if (this.#simNumber === undefined) return undefined
    return this.#options.phoneNumberOf(this.#simNumber) ?? this.#session?.sim.ownNumbers[0]?.number
  }

  #news(news: RecoveryNews): void {
    const { listener } = this.#options
    switch (news.kind) {
      case 'raise-alarm': {
        const words = alarmWords(news.cause)
        // Who is told knows which modem it is about.
        const own = `${this.#address}: `
        listener.onTrouble(this, 'ERROR', words.startsWith(own) ? words.slice(own.length) : words)
        this.#hasHadTrouble = true
        break
      }
      case 'healed':
        // A first start without trouble is not worth a word.
        if (this.#hasHadTrouble) listener.onTrouble(this, 'INFO', healedWords(news))
        this.#hasHadTrouble = true
        break
      case 'clear-alarm':
      // What it is cleared for follows.
    }
  }
}

export interface ModemActorOptions {
  /** As long as it has no port. */
  readonly address: string
  readonly clock: Clock
  /** Finds this modem, wherever it is by now. */
  readonly open: () => Promise<OpenAnswer>
  readonly pinMemory: PinMemory
  /** False: it is another modem. True with its SIM number told by `identified`. */
  readonly isMine: (imei: string) => boolean
  /** Which card was in it before, if it was another one. */
  readonly cardBefore: (iccid: string) => string | undefined
  readonly pinOf: (simNumber: number) => string | undefined
  readonly phoneNumberOf: (simNumber: number) => string | undefined
  /** From the network, unasked for or too late. */
  readonly onUssd: (simNumber: number, answer: UssdAnswer) => void
  readonly listener: ModemListener
  readonly modemOptions?: ModemOptions | undefined
  readonly recovery?: Partial<RecoveryOptions> | undefined
}

/** With the address that it was found at. */
export type OpenAnswer = Exclude<OpenResult, OpenedPort> | (OpenedPort & { readonly address: string })

const notReadAgainMs = 3_600_000

/** What cannot be seen to come back, behind TCP, is tried this often. */
const patience = { awayLookMs: 1_000 }
