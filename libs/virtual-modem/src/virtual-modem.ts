import { ByteOutlet } from './byte-outlet.ts'
import type { Clock, Timer } from './clock.ts'
import { commandTable } from './commands/command-table.ts'
import { type ActiveFault, FaultControl, type FaultSettings } from './fault-control.ts'
import { MessageMemory } from './message-memory.ts'
import { MobileEquipment, type NonVolatile } from './mobile-equipment.ts'
import type { Coverage } from './network/coverage.ts'
import type { Network } from './network.ts'
import type { Personality } from './personalities/personality.ts'
import type { Random } from './random.ts'
import { ScopedClock } from './scoped-clock.ts'
import { Phonebook } from './sim/phonebook.ts'
import type { Sim, SimSnapshot } from './sim.ts'
import { TerminalAdaptor } from './terminal-adaptor.ts'

/**
 * A modem as its host sees it: bytes in, bytes out. It starts without power.
 *
 * Power: off, or on; each time it goes on the inside is made anew, so nothing that was set or awaited survives. What
 * does survive is here: the card, the memory of the phone, the faults.
 *
 * Port: open; lost (unplugged, or a USB modem that restarts): bytes go nowhere in either direction; half-open: the host
 * sees an open port that carries nothing.
 */
export class VirtualModem {
  readonly imei: string
  readonly personality: Personality
  readonly faults: FaultControl
  readonly #options: VirtualModemOptions
  readonly #nonVolatile: NonVolatile
  #sim: Sim | undefined
  #cycle: PowerCycle | undefined
  #port: 'open' | 'lost' | 'half-open' = 'open'
  #portTimer: Timer | undefined
  #bytesIn = 0
  #past = { bytesOut: 0, commands: 0, submitted: 0, arrived: 0 }

  constructor(options: VirtualModemOptions) {
    this.#options = options
    this.personality = options.personality
    this.imei = options.imei ?? madeUpImei(options.random)
    this.#sim = options.sim
    this.faults = new FaultControl(options.random, options.faults)
    this.faults.whenChanged(() => this.#faultsChanged())
    const { phoneCapacity, reportCapacity } = options.personality.messages
    this.#nonVolatile = {
      phoneMemory: new MessageMemory(phoneCapacity),
      reportMemory: new MessageMemory(reportCapacity),
      phonebook: new Phonebook(100),
    }
  }

  get sim(): Sim | undefined {
    return this.#sim
  }

  /** Bytes from the host. */
  receive(bytes: Uint8Array): void {
    if (this.#port !== 'open') return
    this.#bytesIn += bytes.length
    this.#cycle?.adaptor.receive(bytes)
  }

  /** Warm: as if it had been on for hours, everything ready and no boot messages. */
  powerOn(options: { readonly warm?: boolean } = {}): void {
    if (this.#cycle !== undefined) return
    this.#regainPort()
    const warm = options.warm ?? false
    const timeFactor = warm ? 0 : (this.#options.bootTimeFactor ?? 1)
    const cycle = this.#newCycle()
    this.#cycle = cycle
    const answersAfterMs = this.personality.boot.answersAfterMs * timeFactor
    if (answersAfterMs <= 0) cycle.adaptor.listen()
    else cycle.clock.after(answersAfterMs, () => cycle.adaptor.listen())
    cycle.equipment.start(timeFactor, warm)
  }

  /** A USB modem takes its port with it. */
  powerOff(): void {
    this.#stop()
    if (this.personality.usb) this.#losePort()
  }

  /** Loses power and comes back; the port of a USB modem goes away meanwhile. */
  reboot(): void {
    this.#stop()
    if (this.#port === 'lost') return
    if (!this.personality.usb) {
      this.powerOn()
      return
    }
    this.#losePort()
    const awayMs = this.personality.boot.answersAfterMs * (this.#options.bootTimeFactor ?? 1)
    this.#portTimer = this.#options.clock.after(awayMs, () => this.plug())
  }

  /** The cable is pulled: no port, no power. Comes back after `forMs`, or with `plug` when that is not given. */
  unplug(forMs?: number): void {
    this.#stop()
    this.#losePort()
    if (forMs !== undefined) this.#portTimer = this.#options.clock.after(forMs, () => this.plug())
  }

  plug(): void {
    this.#regainPort()
    this.powerOn()
  }

  /** The port goes away and the modem stays on, as when a hub is reset. */
  dropPort(forMs: number): void {
    if (this.#port === 'lost') return
    this.#cycle?.outlet.clear()
    this.#losePort()
    this.#portTimer = this.#options.clock.after(forMs, () => this.#regainPort())
  }

  /** Only while the power is off does a real host see the change; a running modem is restarted. */
  insertSim(sim: Sim | undefined): void {
    const running = this.#cycle !== undefined
    this.#stop()
    this.#sim = sim
    if (running) this.powerOn()
  }

  /** An unsolicited line, as a scenario wishes. */
  say(line: string): void {
    this.#cycle?.equipment.unsolicited.say(line)
  }

  snapshot(): ModemSnapshot {
    const cycle = this.#cycle
    const equipment = cycle?.equipment
    const settings = equipment?.settings
    return {
      imei: this.imei,
      personality: this.personality.name,
      power: equipment === undefined ? 'off' : equipment.smsReady ? 'on' : 'starting',
      port: this.#port,
      hung: cycle?.adaptor.hung ?? false,
      sim: this.#sim?.snapshot(),
      coverage: equipment?.radio.coverage,
      memories: (equipment?.storages.names ?? []).map((name) => ({
        name,
        used: equipment?.storages.get(name)?.used ?? 0,
        capacity: equipment?.storages.get(name)?.capacity ?? 0,
      })),
      settings: settings && {
        messageFormat: settings.messageFormat === 1 ? 'text' : 'pdu',
        cnmi: Object.values(settings.cnmi).join(','),
        storage: settings.memories.join(','),
        characterSet: settings.characterSet,
        errorReports: settings.errorReports,
      },
      faults: this.faults.list(),
      counts: {
        bytesIn: this.#bytesIn,
        bytesOut: this.#past.bytesOut + (cycle?.outlet.bytesOut ?? 0),
        commands: this.#past.commands + (cycle?.adaptor.commands ?? 0),
        submitted: this.#past.submitted + (equipment?.outgoing.submitted ?? 0),
        arrived: this.#past.arrived + (equipment?.incoming.arrived ?? 0),
      },
    }
  }

  #stop(): void {
    const cycle = this.#cycle
    if (cycle === undefined) return
    this.#cycle = undefined
    this.#past.bytesOut += cycle.outlet.bytesOut
    this.#past.commands += cycle.adaptor.commands
    this.#past.submitted += cycle.equipment.outgoing.submitted
    this.#past.arrived += cycle.equipment.incoming.arrived
    cycle.equipment.stop()
    cycle.outlet.close()
    cycle.clock.close()
  }

  #newCycle(): PowerCycle {
    const clock = new ScopedClock(this.#options.clock)
    const { random, network } = this.#options
    const outlet = new ByteOutlet({
      clock,
      random,
      faults: this.faults,
      chunking: this.#options.chunking ?? 'random',
      onBytes: (bytes) => {
        if (this.#port === 'open') this.#options.onBytes(bytes)
      },
    })
    const equipment = new MobileEquipment({
      personality: this.personality,
      imei: this.imei,
      sim: this.#sim,
      nonVolatile: this.#nonVolatile,
      network,
      clock,
      random,
      faults: this.faults,
      power: {
        restart: () => this.reboot(),
        off: () => this.powerOff(),
        dropPort: (forMs) => this.dropPort(forMs),
        hang: () => adaptor.hang(),
      },
      write: (text) => {
        if (!adaptor.hung) outlet.write(text)
      },
    })
    const adaptor = new TerminalAdaptor(equipment, outlet, commandTable(this.personality))
    return { clock, outlet, equipment, adaptor }
  }

  #losePort(): void {
    this.#portTimer?.cancel()
    if (this.#port === 'lost') return
    this.#port = 'lost'
    this.#options.onPort?.('lost', { renumbered: false })
  }

  #regainPort(): void {
    this.#portTimer?.cancel()
    if (this.#port !== 'lost') return
    this.#port = 'open'
    this.#options.onPort?.('back', { renumbered: this.faults.strike('port-renumbered') !== undefined })
  }

  #faultsChanged(): void {
    const halfOpen = this.faults.standing('port-half-open')
    if (halfOpen && this.#port === 'open' && this.faults.strike('port-half-open')) {
      this.#port = 'half-open'
      this.#portTimer = this.#options.clock.after(halfOpen.forMs, () => this.unplug(0))
    } else if (!halfOpen && this.#port === 'half-open') {
      this.#portTimer?.cancel()
      this.#port = 'open'
    }
    this.#cycle?.equipment.faultsChanged()
  }
}

interface PowerCycle {
  readonly clock: ScopedClock
  readonly outlet: ByteOutlet
  readonly equipment: MobileEquipment
  readonly adaptor: TerminalAdaptor
}

export interface VirtualModemOptions {
  readonly personality: Personality
  readonly sim: Sim | undefined
  readonly network: Network
  readonly clock: Clock
  readonly random: Random
  /** 15 digits; default: made up from the random generator. */
  readonly imei?: string
  readonly faults?: FaultSettings
  /** Bytes to the host; never called from inside the constructor. */
  readonly onBytes: (bytes: Uint8Array) => void
  /** The port goes away or comes back; `renumbered`: under another name. */
  readonly onPort?: (event: 'lost' | 'back', detail: { readonly renumbered: boolean }) => void
  /** `random` (default): bytes are split and merged by chance. `whole`: as they are written. */
  readonly chunking?: 'random' | 'whole'
  /** Multiplies the times a start takes: 1 as in reality (default), 0 at once. */
  readonly bootTimeFactor?: number
}

export interface ModemSnapshot {
  readonly imei: string
  readonly personality: string
  readonly power: 'off' | 'starting' | 'on'
  readonly port: 'open' | 'lost' | 'half-open'
  readonly hung: boolean
  readonly sim: SimSnapshot | undefined
  readonly coverage: Coverage | undefined
  readonly memories: readonly { readonly name: string; readonly used: number; readonly capacity: number }[]
  /** Undefined while the power is off. */
  readonly settings:
    | {
        readonly messageFormat: 'pdu' | 'text'
        readonly cnmi: string
        readonly storage: string
        readonly characterSet: string
        readonly errorReports: 0 | 1 | 2
      }
    | undefined
  readonly faults: readonly ActiveFault[]
  readonly counts: {
    readonly bytesIn: number
    readonly bytesOut: number
    readonly commands: number
    readonly submitted: number
    readonly arrived: number
  }
}

/** A type allocation code of the test range, a serial number, and the Luhn digit over both. */
function madeUpImei(random: Random): string {
  const body = `00440152${String(random.integer(1_000_000)).padStart(6, '0')}`
  let sum = 0
  for (const [index, digit] of [...body].entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return `${body}${(10 - (sum % 10)) % 10}`
}
