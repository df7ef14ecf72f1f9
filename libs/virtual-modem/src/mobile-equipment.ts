import type { Clock } from './clock.ts'
import type { FaultControl } from './fault-control.ts'
import { Incoming } from './incoming.ts'
import type { MessageMemory } from './message-memory.ts'
import type { Network } from './network.ts'
import { Outgoing } from './outgoing.ts'
import type { Personality } from './personalities/personality.ts'
import { Radio } from './radio.ts'
import type { Random } from './random.ts'
import type { ResultCode } from './result-code.ts'
import { factorySettings, type Settings } from './settings.ts'
import type { Phonebook } from './sim/phonebook.ts'
import type { Sim } from './sim.ts'
import { type SingleMemories, Storages } from './storages.ts'
import { Unsolicited } from './unsolicited.ts'
import { UssdSession } from './ussd-session.ts'
import { VoiceCall } from './voice-call.ts'

/**
 * The modem behind its command interpreter (the ME of 27.005), from power on to power off. What outlives that is handed
 * in: the card, the memory of the phone, faults.
 *
 * - starting: commands may be answered already, the SIM is not ready.
 * - SIM locked, or none: everything that needs the card is refused.
 * - SIM ready: the radio registers.
 * - SMS ready: message commands work.
 */
export class MobileEquipment {
  readonly personality: Personality
  readonly imei: string
  readonly sim: Sim | undefined
  readonly nonVolatile: NonVolatile
  readonly network: Network
  readonly clock: Clock
  readonly random: Random
  readonly faults: FaultControl
  readonly power: PowerSwitch
  readonly radio: Radio
  readonly storages: Storages
  readonly incoming: Incoming
  readonly outgoing: Outgoing
  readonly ussd: UssdSession
  readonly call: VoiceCall
  readonly unsolicited: Unsolicited
  settings: Settings
  /** CCLK: what was set, against the wall clock. */
  clockOffsetMs = 0
  #simAnswers = false
  #smsReady = false
  #simBusyUntilMs = 0

  constructor(parts: EquipmentParts) {
    this.personality = parts.personality
    this.imei = parts.imei
    this.sim = parts.sim
    this.nonVolatile = parts.nonVolatile
    this.network = parts.network
    this.clock = parts.clock
    this.random = parts.random
    this.faults = parts.faults
    this.power = parts.power
    this.settings = { ...factorySettings(parts.personality.factory), ...parts.nonVolatile.terminal }
    this.storages = new Storages(memoriesOf(parts), parts.clock, parts.faults)
    this.unsolicited = new Unsolicited({
      clock: parts.clock,
      random: parts.random,
      faults: parts.faults,
      personality: parts.personality,
      zoneQuarters: parts.network.zoneQuarters,
      settings: () => this.settings,
      write: parts.write,
    })
    this.radio = new Radio(this)
    this.incoming = new Incoming(this)
    this.outgoing = new Outgoing(this)
    this.ussd = new UssdSession(this)
    this.call = new VoiceCall(this)
  }

  /** `timeFactor` 0: everything is ready at once; `quiet`: as if it had been on for hours. */
  start(timeFactor: number, quiet: boolean): void {
    const { boot } = this.personality
    this.sim?.powerUp()
    this.#applyPinFault()
    if (this.sim) this.network.enrol(this.sim)
    const say = quiet ? () => undefined : (...lines: readonly string[]) => this.unsolicited.say(...lines)
    for (const { afterMs, line } of boot.lines) this.#at(afterMs * timeFactor, () => say(line))
    this.#at(boot.simAfterMs * timeFactor, () => {
      this.#simAnswers = true
      const busy = this.faults.strike('sim-busy')
      if (busy) this.#simBusyUntilMs = this.clock.nowMs() + busy.forMs
      this.#at(busy?.forMs ?? 0, () => {
        say(...boot.simLines(this.sim && this.#lockWords()))
        this.#unlocked(timeFactor, say)
      })
    })
    this.unsolicited.update()
  }

  stop(): void {
    this.radio.stop()
    this.sim?.messages.whenFreed(undefined)
    this.nonVolatile.phoneMemory.whenFreed(undefined)
  }

  /** The PIN has been given: what waited for it begins. */
  pinAccepted(): void {
    const { boot } = this.personality
    this.unsolicited.say(...boot.simLines('READY'))
    this.#unlocked(1, (...lines) => this.unsolicited.say(...lines))
  }

  /** CPIN? */
  get pinWords(): string | undefined {
    return this.sim && this.#lockWords()
  }

  get simUsable(): boolean {
    return this.sim !== undefined && this.#simAnswers && !this.#simBusy && this.sim.guard.state === 'ready'
  }

  /** Why a command with these needs cannot be served now. */
  missing(needs: 'sim' | 'unlocked' | 'sms' | undefined): ResultCode | undefined {
    if (needs === undefined) return undefined
    const cme = this.#missingSim(needs === 'sim')
    if (cme !== undefined) return needs === 'sms' ? { cms: cmsOfCme.get(cme) ?? 500 } : { cme }
    return needs === 'sms' && !this.#smsReady ? { cms: 314 } : undefined
  }

  get smsReady(): boolean {
    return this.#smsReady
  }

  faultsChanged(): void {
    const busy = this.faults.standing('sim-busy')
    if (!busy) this.#simBusyUntilMs = 0
    else if (this.#simAnswers && !this.#simBusy && this.faults.strike('sim-busy')) {
      this.#simBusyUntilMs = this.clock.nowMs() + busy.forMs
    }
    this.#applyPinFault()
    this.unsolicited.update()
    this.radio.update()
    this.incoming.memoryChanged()
  }

  get epochMs(): number {
    return this.clock.epochMs() + this.clockOffsetMs
  }

  get #simBusy(): boolean {
    return this.clock.nowMs() < this.#simBusyUntilMs
  }

  #missingSim(lockedWillDo: boolean): number | undefined {
    if (this.sim === undefined) return 10
    if (!this.#simAnswers) return 14
    if (this.#simBusy) return this.faults.standing('sim-busy')?.code ?? 14
    if (lockedWillDo) return undefined
    const { state } = this.sim.guard
    return state === 'pin' ? 11 : state === 'puk' ? 12 : state === 'blocked' ? 13 : undefined
  }

  #lockWords(): string | undefined {
    switch (this.sim?.guard.state) {
      case 'pin':
        return 'SIM PIN'
      case 'puk':
      case 'blocked':
        return 'SIM PUK'
      case 'ready':
        return 'READY'
      case undefined:
        return undefined
    }
  }

  #unlocked(timeFactor: number, say: (...lines: readonly string[]) => void): void {
    if (!this.simUsable || this.#smsReady) return
    const { boot } = this.personality
    this.radio.start(boot.registersAfterMs * timeFactor, boot.registeredLines, say)
    this.#at(boot.smsAfterMs * timeFactor, () => {
      this.#smsReady = true
      this.incoming.watchMemories()
      say(...boot.smsLines)
      this.radio.update()
    })
  }

  #applyPinFault(): void {
    const fault = this.faults.standing('pin-attempts')
    if (fault && this.sim) this.sim.guard.pin.attemptsLeft = Math.min(this.sim.guard.pin.attemptsLeft, fault.left)
  }

  #at(delayMs: number, run: () => void): void {
    if (delayMs <= 0) run()
    else this.clock.after(delayMs, run)
  }
}

export interface EquipmentParts {
  readonly personality: Personality
  readonly imei: string
  readonly sim: Sim | undefined
  readonly nonVolatile: NonVolatile
  readonly network: Network
  readonly clock: Clock
  readonly random: Random
  readonly faults: FaultControl
  readonly power: PowerSwitch
  readonly write: (text: string) => void
}

/** What a modem keeps without power. */
export interface NonVolatile {
  readonly phoneMemory: MessageMemory
  readonly reportMemory: MessageMemory
  readonly phonebook: Phonebook
  /** AT&W */
  terminal?: Pick<Settings, 'echo' | 'quiet' | 'verbose' | 'errorReports'>
  /** CSAS */
  messages?: Pick<Settings, 'csmp' | 'broadcast'> & { readonly serviceCentre: string }
}

/** What the equipment can do to itself as a whole. */
export interface PowerSwitch {
  restart(): void
  off(): void
  /** The port goes away and comes back, the modem stays as it is. */
  dropPort(forMs: number): void
  /** Nothing is answered any more. */
  hang(): void
}

function memoriesOf(parts: EquipmentParts): SingleMemories {
  const { phoneCapacity, reportCapacity } = parts.personality.messages
  return {
    ...(parts.sim && { SM: parts.sim.messages }),
    ...(phoneCapacity > 0 && { ME: parts.nonVolatile.phoneMemory }),
    ...(reportCapacity > 0 && { SR: parts.nonVolatile.reportMemory }),
  }
}

const cmsOfCme: ReadonlyMap<number, number> = new Map([
  [10, 310],
  [11, 311],
  [12, 316],
  [13, 313],
  [14, 314],
  [515, 515],
])
