import type { ContentTypeForm } from '@smsgw/sms/wap/wsp-push'
import type { Clock } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import { IncomingMessages } from '../messaging/incoming.ts'
import type { MessageMemory } from '../messaging/message-memory.ts'
import { Outgoing } from '../messaging/outgoing.ts'
import { type SingleMemories, Storages } from '../messaging/storages.ts'
import type { Network } from '../network/network.ts'
import type { SeededRandom } from '../random.ts'
import type { Phonebook } from '../sim/phonebook.ts'
import type { Sim } from '../sim/sim.ts'
import type { ResultCode } from '../wire/result-code.ts'
import type { PersonalityTraits } from './personality-traits.ts'
import { Radio } from './radio.ts'
import { type EquipmentSettings, factorySettings } from './settings.ts'
import { SimToolkit } from './sim-toolkit.ts'
import { Terminals } from './terminals.ts'
import type { UnsolicitedOutput } from './unsolicited.ts'
import { EmulatedUssdSession } from './ussd-session.ts'
import { VoiceCall } from './voice-call.ts'

/**
 * The mobile equipment (the ME of 27.005) from power-on to power-off. The SIM, the phone memory and the faults survive
 * a power-off, so they are arguments.
 *
 * - starting: commands may already be answered, but the SIM is not ready.
 * - SIM locked or missing: commands that need the SIM are refused.
 * - SIM ready: the radio registers.
 * - SMS ready: message commands work.
 */
export class MobileEquipment {
  readonly personality: PersonalityTraits
  readonly imei: string
  readonly sim: Sim | undefined
  readonly nonVolatile: NonVolatile
  readonly network: Network
  readonly clock: Clock
  readonly random: SeededRandom
  readonly faults: FaultControl
  readonly power: EquipmentPower
  readonly radio: Radio
  readonly storages: Storages
  readonly incoming: IncomingMessages
  readonly outgoing: Outgoing
  readonly ussd: EmulatedUssdSession
  readonly call: VoiceCall
  readonly toolkit: SimToolkit
  readonly terminals: Terminals
  /** CCLK: the difference between the set time and the wall clock. */
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
    this.random = parts.random
    this.faults = parts.faults
    this.power = parts.power
    this.storages = new Storages(memoriesOf(parts), parts.clock, parts.faults)
    const settings = { ...factorySettings(parts.personality.factory), ...parts.nonVolatile.terminal }
    this.terminals = new Terminals(settings, { ...parts, zoneQuarters: parts.network.zoneQuarters })
    this.clock = this.terminals.clock(parts.clock)
    this.incoming = new IncomingMessages(this)
    this.outgoing = new Outgoing(this)
    this.ussd = new EmulatedUssdSession(this)
    this.call = new VoiceCall(this)
    this.toolkit = new SimToolkit({
      clock: this.clock,
      faults: parts.faults,
      traits: parts.personality.toolkit,
      say: (line) => this.unsolicited.say(line),
    })
    this.radio = new Radio(this, {
      imei: parts.imei,
      deliver: (message, answer) => this.terminals.asReceiving(() => this.incoming.arrive(message, answer)),
      broadcast: (page) => this.incoming.broadcast(page),
      ussd: (reply) => this.ussd.reply(reply),
      ring: (from, forMs) => this.call.ring(from, forMs),
      mmsContentTypeForm: () => mmsContentTypeForm(this.faults),
    })
  }

  /** The settings of the terminal whose command or timer is running. */
  get settings(): EquipmentSettings {
    return this.terminals.settings
  }

  get unsolicited(): UnsolicitedOutput {
    return this.terminals.unsolicited
  }

  /** `timeFactor`: 0 makes all services ready at once. `quiet`: true sends no boot messages. */
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
        say(...boot.simLines(this.sim && this.#lockState()))
        this.#unlocked(timeFactor, say)
      })
    })
    this.unsolicited.update()
  }

  stop(): void {
    this.radio.stop()
    this.toolkit.powerOff()
    this.sim?.messages.whenFreed(undefined)
    this.nonVolatile.phoneMemory.whenFreed(undefined)
  }

  /** Continues the boot after the PIN was entered. */
  pinAccepted(): void {
    const { boot } = this.personality
    this.unsolicited.say(...boot.simLines('READY'))
    this.#unlocked(1, (...lines) => this.unsolicited.say(...lines))
  }

  /** The answer to `AT+CPIN?`; undefined without a SIM. */
  get pinState(): string | undefined {
    return this.sim && this.#lockState()
  }

  get simUsable(): boolean {
    return this.sim !== undefined && this.#simAnswers && !this.#simBusy && this.sim.guard.state === 'ready'
  }

  /**
   * Returns the error for a command that needs a SIM, an unlocked SIM or the message service; undefined if the modem
   * has what the command needs.
   */
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
    if (this.#smsReady) this.toolkit.mayAsk('always')
    this.unsolicited.update()
    this.radio.update()
    this.incoming.memoryChanged()
  }

  get epochMs(): number {
    return this.clock.epochMs() + this.clockOffsetMs
  }

  get #simBusy(): boolean {
    return this.clock.nowMs() < this.#simBusyUntilMs || this.toolkit.waiting
  }

  #missingSim(allowLocked: boolean): number | undefined {
    if (this.sim === undefined) return 10
    if (!this.#simAnswers) return 14
    if (this.#simBusy) return this.faults.standing('sim-busy')?.code ?? 14
    if (allowLocked) return undefined
    const { state } = this.sim.guard
    return state === 'pin' ? 11 : state === 'puk' ? 12 : state === 'blocked' ? 13 : undefined
  }

  #lockState(): string | undefined {
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
      this.toolkit.mayAsk('always')
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
  readonly personality: PersonalityTraits
  readonly imei: string
  readonly sim: Sim | undefined
  readonly nonVolatile: NonVolatile
  readonly network: Network
  readonly clock: Clock
  readonly random: SeededRandom
  readonly faults: FaultControl
  readonly power: EquipmentPower
  /** The functions that write to each terminal. */
  readonly writes: readonly ((text: string) => void)[]
  /** True if each terminal selects its own memories (CPMS). */
  readonly ownMemories: boolean
}

/** The state that survives a power loss. */
export interface NonVolatile {
  readonly phoneMemory: MessageMemory
  readonly reportMemory: MessageMemory
  readonly phonebook: Phonebook
  /** The rate of the serial port, stored by AT&W. */
  baudRate?: string | undefined
  /** The terminal settings stored by AT&W. */
  terminal?: Pick<EquipmentSettings, 'echo' | 'quiet' | 'verbose' | 'errorReports'>
  /** The message settings stored by CSAS. */
  messages?: Pick<EquipmentSettings, 'csmp' | 'broadcast'> & { readonly serviceCentre: string }
}

/** Actions of the equipment that affect the whole modem. */
export interface EquipmentPower {
  restart(): void
  off(): void
  /** Disconnects the port for a while; the modem stays on. */
  dropPort(forMs: number): void
  /** Stops answering. */
  hang(): void
  /** Ignores input from the host for a while. */
  deafen(forMs: number): void
}

function mmsContentTypeForm(faults: FaultControl): ContentTypeForm | undefined {
  const form = faults.strike('mms-content-type')?.form
  return form === 'text' || form === 'code' || form === 'general' ? form : undefined
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
