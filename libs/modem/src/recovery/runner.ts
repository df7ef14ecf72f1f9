import type { Clock, Timer } from '../clock.ts'
import { HilinkModem } from '../hilink/hilink-modem.ts'
import type { WebPort } from '../hilink/web-port.ts'
import { Modem } from '../modem.ts'
import type { ModemDriver } from '../modem-driver.ts'
import type { ModemEvent } from '../modem-event.ts'
import type { ModemOptions } from '../modem-options.ts'
import type { ModemState } from '../modem-state.ts'
import { genericProfile } from '../profiles/generic.ts'
import type { Profile } from '../profiles/profile.ts'
import { SecondPortKeeper } from '../second-port/second-port-keeper.ts'
import { PinMemory } from '../setup/pin-memory.ts'
import { SimPin } from '../setup/sim-pin.ts'
import type { StartupOutcome } from '../setup/startup.ts'
import type { BytePort } from '../wire/byte-port.ts'
import type { ByteTrace } from '../wire/trace.ts'
import { beginRecovery } from './moves.ts'
import { nextRecovery } from './recovery.ts'
import {
  defaultRecoveryOptions,
  type RecoveryEffect,
  type RecoveryNews,
  type RecoveryOptions,
  type RecoveryState,
  type RecoveryStep,
} from './state.ts'

/**
 * Keeps a modem working: opens its port, sets up the modem and performs the effects of `recovery.ts`. Each open port
 * has its own `Modem`. When a port is closed or lost, all unfinished calls of its `Modem` end. All `Modem` objects
 * share the records of entered PINs. `modem` is set while a port is open.
 */
export class RecoveryRunner {
  readonly #options: RecoveryRunnerOptions
  readonly #recovery: RecoveryOptions
  readonly #pinMemory: PinMemory
  readonly #simPin: SimPin
  #state: RecoveryState | undefined
  #open: OpenModem | undefined
  #opening: Promise<void> = Promise.resolve()
  #timer: Timer | undefined
  #profile: Profile = genericProfile
  #stopped = false

  constructor(options: RecoveryRunnerOptions) {
    this.#options = options
    this.#recovery = { ...defaultRecoveryOptions, ...options.recovery }
    this.#pinMemory = options.pinMemory ?? new PinMemory()
    this.#simPin = new SimPin(options.modemOptions?.simPin)
  }

  /** Undefined while no port is open. */
  get modem(): ModemDriver | undefined {
    return this.#open?.modem
  }

  get state(): RecoveryState | undefined {
    return this.#state
  }

  start(): void {
    if (this.#state === undefined) this.#enter(beginRecovery(this.#options.clock.nowMs(), this.#recovery))
  }

  /**
   * Must be called when a device with this identity was plugged in, so that its port is opened without waiting for the
   * next check.
   */
  deviceAppeared(): void {
    this.#take({ kind: 'device-appeared' })
  }

  /** Resets the modem, or opens its port at once if the port is closed. */
  restart(): void {
    this.#take({ kind: 'restart-requested' })
  }

  /** Sets a corrected PIN for this port and all later ports. Returns undefined if no port is open yet. */
  async useSimPin(pin: string): Promise<StartupOutcome | undefined> {
    this.#simPin.use(pin)
    return this.modem?.useSimPin(pin)
  }

  /** Enters a PIN that a person typed. Keeps it for later setups, unless the present SIM does not accept it. */
  async enterSimPin(pin: string): Promise<StartupOutcome | undefined> {
    this.#simPin.tryTyped(pin)
    return this.modem?.useSimPin(pin)
  }

  /** Resolves when other programs can open the port. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#giveUpPort('stopped')
    await this.#atMost(this.#opening)
  }

  #take(news: RecoveryNews): void {
    if (this.#state === undefined || this.#stopped) return
    const mayPowerCycle = this.#options.powerCycle?.() !== undefined
    const options = { ...this.#recovery, mayPowerCycle }
    this.#enter(nextRecovery(this.#state, { ...news, atMs: this.#options.clock.nowMs() }, options))
  }

  #enter({ state, effects }: RecoveryStep): void {
    const before = this.#state
    this.#state = state
    this.#timer?.cancel()
    if (state.deadlineMs !== undefined) {
      const delayMs = Math.max(0, state.deadlineMs - this.#options.clock.nowMs())
      this.#timer = this.#options.clock.after(delayMs, () => this.#take({ kind: 'time' }))
    }
    if (before !== state) this.#options.onState?.(state)
    for (const effect of effects) this.#do(effect)
  }

  #do(effect: RecoveryEffect): void {
    switch (effect.kind) {
      case 'open-port':
        this.#opening = this.#openPort(effect.attempt)
        break
      case 'resynchronise':
        void this.#resynchronise(effect.attempt)
        break
      case 'set-up':
        // These remedies report no result. The next states of the modem show whether they helped.
        void this.modem?.start()
        break
      case 'restart-radio':
        void this.modem?.restartRadio()
        break
      case 'reset':
        void this.#reset(effect.attempt)
        break
      case 'power-cycle':
        void this.#powerCycle(effect.attempt)
        break
      case 'raise-alarm':
      case 'clear-alarm':
      case 'healed':
        this.#options.onNews?.(effect)
    }
  }

  async #openPort(attempt: number): Promise<void> {
    await this.#giveUpPort('reopened')
    const result = await this.#tryToOpen()
    if (result.kind !== 'opened') {
      this.#take({ kind: 'not-opened', attempt, problem: result.kind, words: result.words })
    } else if (this.#stopped || this.#state?.attempt !== attempt) {
      // Closes the port, because the attempt was abandoned before the port opened.
      await this.#atMost(result.port.close())
    } else {
      this.#begin(result)
      this.#take({ kind: 'opened', attempt })
    }
  }

  async #tryToOpen(): Promise<OpenResult> {
    try {
      return await this.#options.open()
    } catch (error) {
      return { kind: 'refused', words: error instanceof Error ? error.message : String(error) }
    }
  }

  /** True while the modem also answers on its second port. */
  get usesSecondPort(): boolean {
    return this.#open?.second?.isInUse ?? false
  }

  #begin({ port, usb, isShared, openSecond }: OpenedPort): void {
    const { clock, modemOptions, trace } = this.#options
    const common = {
      clock,
      options: {
        ...modemOptions,
        ...(usb === undefined ? {} : { usb }),
        ...(isShared === undefined ? {} : { isShared }),
      },
      pinMemory: this.#pinMemory,
      simPin: this.#simPin,
    }
    if ('exchange' in port) {
      const modem: ModemDriver = new HilinkModem({
        ...common,
        port,
        onEvent: (event) => this.#handleEvent(modem, event),
      })
      this.#open = { port, modem, second: undefined }
      return
    }
    const modem: Modem = new Modem({
      ...common,
      port,
      onEvent: (event) => this.#handleEvent(modem, event),
      ...(trace ? { trace } : {}),
    })
    const use = (second: ClosablePort) => modem.useSecondPort(second)
    this.#open = { port, modem, second: openSecond && new SecondPortKeeper({ clock, open: openSecond, use }) }
  }

  #handleEvent(modem: ModemDriver, event: ModemEvent): void {
    if (event.kind === 'started') {
      this.#profile = event.session.profile
      this.#simPin.accepted()
    }
    // A setup that was interrupted reports no failure, so this does not depend on the outcome of one setup.
    if (event.kind === 'state' && event.state.name === 'blocked') this.#simPin.failed(event.state.failure.reason)
    this.#options.onEvent(event)
    if (event.kind === 'started' && this.modem === modem) this.#open?.second?.sessionStarted()
    // Ignores events of a modem whose port was closed.
    if (event.kind === 'state' && this.modem === modem) this.#heardState(event.state)
  }

  #heardState(state: ModemState): void {
    this.#take({ kind: 'modem', state })
  }

  async #giveUpPort(why: string): Promise<void> {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return
    open.modem.stop(why)
    await this.#atMost(Promise.all([open.port.close(), open.second?.stop()]).then(() => undefined))
  }

  /**
   * Waits for the work, but no longer than a time limit, because a device driver may hang while it opens or closes a
   * missing device.
   */
  #atMost(work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(hangLimitMs, resolve)
      const over = () => {
        timer.cancel()
        resolve()
      }
      // A failure to close is detected when the port cannot be opened again.
      work.then(over, over)
    })
  }

  async #resynchronise(attempt: number): Promise<void> {
    const outcome = await this.modem?.resynchronise()
    if (outcome?.kind === 'in-step') this.#take({ kind: 'in-step', attempt })
    else if (outcome?.kind === 'out-of-step') this.#take({ kind: 'out-of-step', attempt, heard: outcome.heard })
    // Does nothing, because the port is closed and the modem has already reported `absent`.
  }

  async #reset(attempt: number): Promise<void> {
    await this.modem?.reset(this.#profile)
    this.#take({ kind: 'reset-written', attempt })
  }

  async #powerCycle(attempt: number): Promise<void> {
    const words = (await this.#options.powerCycle?.()?.()) ?? 'the settings no longer allow a power cycle'
    this.#take({ kind: 'power-cycled', attempt, words })
  }
}

export interface RecoveryRunnerOptions {
  readonly clock: Clock
  /** Finds the device by its identity, under any name, and opens its port. */
  readonly open: () => Promise<OpenResult>
  readonly onEvent: (event: ModemEvent) => void
  readonly onNews?: (news: RecoveryEffect & { readonly kind: 'raise-alarm' | 'clear-alarm' | 'healed' }) => void
  readonly onState?: (state: RecoveryState) => void
  readonly modemOptions?: ModemOptions
  readonly recovery?: Partial<RecoveryOptions>
  /**
   * The records of entered PINs. All modems that may contain the same SIM share one object. The owner stores the
   * records for the next process. Default: no records.
   */
  readonly pinMemory?: PinMemory
  readonly trace?: ByteTrace
  /** Returns the function that switches the modem off and on. Undefined if the settings do not configure it. */
  readonly powerCycle?: () => PowerCycle | undefined
}

/** Switches the modem off and on. Resolves with a description of the action or of its failure. Never rejects. */
export type PowerCycle = () => Promise<string>

export interface ClosablePort extends BytePort {
  /** Resolves when the device can be opened again. */
  close(): Promise<void>
}

export interface ClosableWebPort extends WebPort {
  close(): Promise<void>
}

/** A serial port for AT commands, or the web interface of a HiLink stick. */
export type ModemPort = ClosablePort | ClosableWebPort

export type OpenResult = OpenedPort | { readonly kind: 'absent' | 'refused'; readonly words: string }

export interface OpenedPort {
  readonly kind: 'opened'
  readonly port: ModemPort
  /** `12d1:1506`, if the port belongs to a USB device. */
  readonly usb?: string | undefined
  /** True if another program uses another port of the same modem. */
  readonly isShared?: boolean | undefined
  /** Opens another command port of the same device; undefined if no such port can be opened now. */
  readonly openSecond?: (() => Promise<ClosablePort | undefined>) | undefined
}

interface OpenModem {
  readonly port: ModemPort
  readonly modem: ModemDriver
  readonly second: SecondPortKeeper | undefined
}

const hangLimitMs = 2_000
