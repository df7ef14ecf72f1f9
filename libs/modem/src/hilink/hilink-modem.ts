import { Cancellation } from '../cancellation.ts'
import type { Clock, Timer } from '../clock.ts'
import type { ModemNumber } from '../commands/identity.ts'
import type { Signal } from '../commands/network/signal.ts'
import type { PinTries } from '../commands/sim/pin-counter.ts'
import type { UssdOutcome } from '../commands/ussd/ussd-session.ts'
import type { ResynchroniseOutcome } from '../dialogue/resynchronisation.ts'
import type { ModemDriver, ModemTelemetry } from '../modem-driver.ts'
import type { ModemEvent } from '../modem-event.ts'
import { defaultModemOptions, type ModemDefaults, type ModemOptions } from '../modem-options.ts'
import type { ModemState } from '../modem-state.ts'
import { ModemStatusWatch } from '../modem-status.ts'
import { Pause } from '../pause.ts'
import type { Deletion } from '../receive/message-slots.ts'
import type { Sweep } from '../receive/receive.ts'
import type { StorageGauge } from '../receive/storage-gauges.ts'
import type { OutgoingPdu, OutgoingText, SubmitOptions, Submitted } from '../send/submit.ts'
import { PinMemory } from '../setup/pin-memory.ts'
import { SimPin } from '../setup/sim-pin.ts'
import type { ModemSession, StartupOutcome } from '../setup/startup.ts'
import { silentFailures } from '../setup/startup-failure.ts'
import { deletionsPerListing, memory, StickInbox } from './stick-inbox.ts'
import { signalIn, stickRegistration } from './stick-readings.ts'
import { StickSending } from './stick-sending.ts'
import {
  identityIn,
  isSameStick,
  readIdentity,
  readStickPinTries,
  type StickIdentity,
  setUpStick,
} from './stick-setup.ts'
import { StickUssd } from './stick-ussd.ts'
import type { WebPort } from './web-port.ts'
import { type WebAnswer, WebSession } from './web-session.ts'
import { childNumber, childText } from './xml.ts'

/**
 * A stick that offers only a web interface (HiLink), driven through its XML interface. The stick does not announce
 * messages or changes, so the driver reads its state regularly. The stick assigns no references and returns no delivery
 * reports.
 *
 * probing → identifying → sim → registering → ready ⇄ degraded, as for every modem. A new session with another IMEI or
 * SIM leads back to `probing`.
 */
export class HilinkModem implements ModemDriver {
  readonly sends = 'text'
  readonly deletionsAtOnce = deletionsPerListing
  readonly #clock: Clock
  readonly #options: ModemDefaults & ModemOptions
  readonly #onEvent: (event: ModemEvent) => void
  readonly #web: WebSession
  readonly #status: ModemStatusWatch
  readonly #inbox: StickInbox
  readonly #sending: StickSending
  readonly #ussd: StickUssd
  readonly #pinMemory: PinMemory
  readonly #simPin: SimPin
  #session: ModemSession | undefined
  #identity: StickIdentity | undefined
  #cancellation = new Cancellation()
  #retry: Timer | undefined
  #isStopped = false
  #failures = 0
  #timeouts = 0
  #lastAnswerAtMs: number | undefined
  /** The number of the web session in which the identity was last checked. */
  #checkedSession = 0

  constructor(options: {
    readonly port: WebPort
    readonly clock: Clock
    readonly onEvent: (event: ModemEvent) => void
    readonly options?: ModemOptions
    readonly pinMemory?: PinMemory
    readonly simPin?: SimPin
  }) {
    this.#clock = options.clock
    this.#onEvent = options.onEvent
    this.#options = { ...defaultModemOptions, ...options.options }
    this.#simPin = options.simPin ?? new SimPin(options.options?.simPin)
    this.#pinMemory = options.pinMemory ?? new PinMemory()
    this.#status = new ModemStatusWatch(options.onEvent)
    this.#web = new WebSession(options.port, this.#options.webLogin)
    this.#ussd = new StickUssd(this.#web, options.clock)
    const { wallClock } = this.#options
    this.#inbox = new StickInbox({
      session: this.#web,
      zoneQuartersAt: wallClock.zoneQuartersAt,
      isSameStick: async () => this.#isSame(await this.#web.get('/api/device/information')),
      onIncoming: (incoming) => this.#onEvent({ kind: 'incoming', incoming }),
      onNews: this.#onEvent,
    })
    this.#sending = new StickSending({
      session: this.#web,
      clock: options.clock,
      localDate: () => localDate(wallClock.epochMs(), wallClock.zoneQuartersAt(wallClock.epochMs())),
      isSameStick: (information) => this.#isSame(information),
      onOutcome: (id, outcome) => this.#onEvent({ kind: 'submitted', id, outcome }),
    })
    options.port.onClosed((reason) => this.stop(reason))
  }

  get state(): ModemState {
    return this.#status.state
  }

  get session(): ModemSession | undefined {
    return this.#session
  }

  get storage(): readonly StorageGauge[] {
    return this.#status.gauges.all
  }

  get telemetry(): ModemTelemetry {
    return {
      state: this.#isStopped ? 'closed' : this.#failures >= silentAfter ? 'out-of-step' : 'in-step',
      inFlight: undefined,
      queued: 0,
      lastByteAtMs: this.#lastAnswerAtMs,
      timeouts: this.#timeouts,
      resynchronisations: Math.max(0, this.#web.renewals - 1),
      bytesReceived: 0,
      bytesSent: 0,
      echoes: 0,
      submissionsWaiting: this.#sending.waiting,
      broadcastsIgnored: 0,
    }
  }

  async start(): Promise<StartupOutcome> {
    this.#abandon()
    if (this.#isStopped) return { kind: 'cancelled' }
    const cancellation = new Cancellation()
    this.#cancellation = cancellation
    this.#failures = 0
    const result = await setUpStick({
      session: this.#web,
      clock: this.#clock,
      cancellation,
      options: this.#options,
      simPin: this.#simPin.value,
      pinMemory: this.#pinMemory,
      onStage: (stage) => {
        if (!cancellation.cancelled) this.#status.update({ absent: undefined, answering: true, setUp: stage })
      },
    })
    if (cancellation.cancelled) return { kind: 'cancelled' }
    if ('reason' in result) {
      this.#status.update({ setUp: result })
      const pauseMs = silentFailures.has(result.reason) ? silentRetryMs : retryMs
      this.#retry = this.#clock.after(pauseMs, () => void this.start())
      return { kind: 'failed', failure: result }
    }
    await this.#begin(result, cancellation)
    return { kind: 'started', session: result }
  }

  stop(why = 'stopped'): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#abandon()
    this.#status.update({ absent: why })
  }

  async submit(message: OutgoingPdu | OutgoingText, options: SubmitOptions): Promise<Submitted> {
    if ('text' in message) return this.#sending.submit(message, options)
    return { kind: 'not-sent', why: 'unwritable' }
  }

  async sweep(options?: { readonly again?: boolean }): Promise<Sweep> {
    if (this.#session === undefined) return { memories: [], complete: false }
    return this.#inbox.sweep(options)
  }

  async deleteMessage(slot: { readonly memory: string; readonly index: number }, pdu: string): Promise<Deletion> {
    if (this.#session === undefined) return { kind: 'failed', failure: 'not-sent', error: undefined }
    if (slot.memory !== memory) return { kind: 'already-gone' }
    return this.#inbox.delete(slot.index, pdu)
  }

  /** Every message is stored in the stick, so there is nothing to acknowledge. */
  async acknowledge(): Promise<boolean> {
    return true
  }

  async ussd(text: string): Promise<UssdOutcome> {
    if (this.#session === undefined) return { kind: 'not-ready' }
    return this.#ussd.send(text, this.#cancellation)
  }

  cancelUssd(): Promise<void> {
    return this.#ussd.cancel()
  }

  async signal(): Promise<Signal | undefined> {
    const status = await this.#web.get('/api/monitoring/status')
    if (status.kind !== 'value') return undefined
    const levels = await this.#web.get('/api/device/signal')
    return signalIn(status.value, levels.kind === 'value' ? levels.value : undefined)
  }

  async readNumber(): Promise<ModemNumber | undefined> {
    const identity = await readIdentity(this.#web)
    return 'reason' in identity ? undefined : numberOf(identity)
  }

  async readOperator(): Promise<string | undefined> {
    const answer = await this.#web.get('/api/net/current-plmn')
    if (answer.kind !== 'value') return undefined
    const names = ['FullName', 'ShortName', 'Numeric'].map((name) => childText(answer.value, name)?.trim())
    return names.find((name) => name !== undefined && name !== '')
  }

  /** The interface does not provide the time of the network. */
  async readClock(): Promise<undefined> {
    return undefined
  }

  readPinTries(): Promise<PinTries | undefined> {
    return readStickPinTries(this.#web)
  }

  /** Opens a new session. */
  async resynchronise(): Promise<ResynchroniseOutcome> {
    const outOfStep: ResynchroniseOutcome = { kind: 'out-of-step', attempts: 1, heard: false, okToAll: false }
    if (this.#isStopped) return { kind: 'closed' }
    this.#web.forget()
    const answer = await this.#web.get('/api/device/information')
    if (this.#isStopped) return { kind: 'closed' }
    if (answer.kind === 'not-sent' || answer.kind === 'no-answer') return outOfStep
    this.#answered()
    return { kind: 'in-step', attempts: 1, atRefused: false }
  }

  /** The interface cannot switch the radio off and on, so only the setup is repeated. */
  restartRadio(): Promise<StartupOutcome> {
    return this.start()
  }

  async reset(): Promise<void> {
    this.#retry?.cancel()
    await this.#web.post('/api/device/control', [['Control', 1]])
    this.#web.forget()
  }

  useSimPin(pin: string): Promise<StartupOutcome> {
    this.#simPin.value = pin
    return this.start()
  }

  async #begin(session: ModemSession, cancellation: Cancellation): Promise<void> {
    const { identity, sim } = session
    const before = this.#identity
    this.#identity = {
      imei: identity.imei,
      serial: identity.serial,
      imsi: sim.imsi,
      iccid: sim.iccid,
      model: identity.model,
      firmware: identity.firmware,
      ownNumber: undefined,
    }
    this.#checkedSession = this.#web.renewals
    if (before === undefined || !isSameStick(before, this.#identity)) this.#inbox.forget()
    this.#session = session
    this.#status.update({ setUp: 'done' })
    this.#onEvent({ kind: 'started', session })
    if (cancellation.cancelled) return
    this.#sending.open()
    void this.#poll(cancellation)
  }

  #abandon(): void {
    this.#cancellation.cancel()
    this.#retry?.cancel()
    this.#sending.close()
    if (this.#session !== undefined) this.#status.forgetSession()
    this.#session = undefined
  }

  /** Reads the inbox in each round. Reads the status more often while the stick is not registered. */
  async #poll(cancellation: Cancellation): Promise<void> {
    const { registeredPollMs, stickPollMs } = this.#options
    let statusDueMs = 0
    while (!cancellation.cancelled) {
      const isSame = await this.#isStillSame(cancellation)
      if (isSame === false) return
      const isRead = isSame === true && (await this.#inbox.sweep()).complete
      if (cancellation.cancelled) return
      if (isRead) this.#answered()
      else this.#failed()
      if (this.#clock.nowMs() >= statusDueMs) {
        const isRegistered = await this.#readStatus(cancellation)
        if (isRegistered) statusDueMs = this.#clock.nowMs() + registeredPollMs
      }
      await new Pause(this.#clock).wait(stickPollMs, cancellation)
    }
  }

  async #readStatus(cancellation: Cancellation): Promise<boolean> {
    const status = await this.#web.get('/api/monitoring/status')
    if (status.kind !== 'value' || cancellation.cancelled) return false
    const registration = stickRegistration(status.value)
    const registered = registration.status === 'home' || registration.status === 'roaming'
    this.#status.update({ registered, ...(registered && { wasRegistered: true }) })
    this.#onEvent({ kind: 'registration', registered, best: registration })
    const levels = await this.#web.get('/api/device/signal')
    if (cancellation.cancelled) return registered
    this.#onEvent({
      kind: 'signal',
      signal: signalIn(status.value, levels.kind === 'value' ? levels.value : undefined),
    })
    const counts = await this.#web.get('/api/sms/sms-count')
    if (counts.kind === 'value' && !cancellation.cancelled) {
      const total = childNumber(counts.value, 'LocalMax') ?? 0
      const used = ['LocalInbox', 'LocalOutbox', 'LocalDraft'].map((name) => childNumber(counts.value, name) ?? 0)
      this.#status.measured(memory, { memory, used: used.reduce((sum, each) => sum + each, 0), total }, memory)
    }
    return registered
  }

  /** Returns true if a new session has the same stick with the same SIM. Undefined if the stick does not answer. */
  async #isStillSame(cancellation: Cancellation): Promise<boolean | undefined> {
    if (this.#web.renewals === this.#checkedSession) return true
    const { renewals } = this.#web
    const answer = await this.#web.get('/api/device/information')
    if (cancellation.cancelled) return false
    if (answer.kind !== 'value') return undefined
    if (this.#isSame(answer)) {
      this.#checkedSession = renewals
      return true
    }
    this.#onEvent({ kind: 'restarted', sign: 'another stick or SIM' })
    void this.start()
    return false
  }

  #isSame(answer: WebAnswer): boolean {
    if (answer.kind !== 'value' || this.#identity === undefined) return false
    const { imei, serial, ...sim } = identityIn(answer.value)
    return isSameStick(this.#identity, { ...sim, ...numberOf({ imei, serial }) })
  }

  #answered(): void {
    this.#failures = 0
    this.#lastAnswerAtMs = this.#clock.nowMs()
    this.#status.update({ answering: true })
  }

  #failed(): void {
    this.#failures += 1
    this.#timeouts += 1
    if (this.#failures >= silentAfter) this.#status.update({ answering: false })
  }
}

/**
 * Returns the IMEI or serial number of the stick behind a web interface, before its setup; undefined if no stick
 * answers.
 */
export function readHilinkNumber(port: WebPort): Promise<ModemNumber | undefined> {
  return readIdentity(new WebSession(port)).then((identity) => ('reason' in identity ? undefined : numberOf(identity)))
}

function numberOf({ imei, serial }: ModemNumber): ModemNumber {
  return { imei, serial: imei === undefined ? serial : undefined }
}

/** `2026-03-01 15:46:11` */
function localDate(epochMs: number, zoneQuarters: number): string {
  return new Date(epochMs + zoneQuarters * 900_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** The number of failed reads after which the stick counts as silent. */
const silentAfter = 2
const silentRetryMs = 2_000
const retryMs = 60_000
