import type { Clock, Timer } from './clock.ts'
import { commandTable } from './commands/command-table.ts'
import { MobileEquipment, type NonVolatile } from './equipment/mobile-equipment.ts'
import { type ActiveFault, FaultControl, type FaultSettings } from './faults/fault-control.ts'
import { MessageMemory } from './messaging/message-memory.ts'
import type { Coverage } from './network/coverage.ts'
import type { Network } from './network/network.ts'
import type { Personality } from './personalities/personality.ts'
import type { SeededRandom } from './random.ts'
import { ScopedClock } from './scoped-clock.ts'
import { Phonebook } from './sim/phonebook.ts'
import type { Sim, SimSnapshot } from './sim/sim.ts'
import { TerminalAdaptor } from './terminal-adaptor.ts'
import { WebInterface } from './web/web-interface.ts'
import type { WebReply, WebRequest } from './web/web-request.ts'
import { SentCopies } from './web/web-sending.ts'
import { ByteOutlet } from './wire/byte-outlet.ts'
import { DataMode } from './wire/data-mode.ts'

/**
 * A modem from the point of view of its host: bytes in, bytes out. The modem is initially switched off.
 *
 * Power: off or on. Each power-on creates the equipment again, so settings and pending answers do not survive. The SIM,
 * the phone memory and the faults survive, because they belong to this class.
 *
 * Port: open, lost or half-open. While it is lost (unplugged, or a USB modem restarts), bytes are dropped in both
 * directions. While it is half-open, the host sees an open port without data.
 */
export class VirtualModem {
  readonly imei: string
  readonly personality: Personality
  readonly faults: FaultControl
  readonly #options: VirtualModemOptions
  readonly #nonVolatile: NonVolatile
  readonly #sentCopies = new SentCopies()
  #sim: Sim | undefined
  #cycle: PowerCycle | undefined
  #port: 'open' | 'lost' | 'half-open' = 'open'
  #portTimer: Timer | undefined
  #bytesIn = 0
  #past = { bytesOut: 0, commands: 0, submitted: 0, arrived: 0 }

  constructor(options: VirtualModemOptions) {
    this.#options = options
    this.personality = options.personality
    this.imei = options.imei ?? randomImei(options.random)
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

  /** True from Ctrl-Z until the command ends. */
  get sending(): boolean {
    return this.#cycle?.terminals.some(({ adaptor }) => adaptor.sending) ?? false
  }

  /** Takes bytes from the host. */
  receive(bytes: Uint8Array, terminal = 0): void {
    if (this.#port !== 'open') return
    this.#bytesIn += bytes.length
    const port = this.#cycle?.terminals[terminal]
    if (port !== undefined && !port.dataMode.takes(bytes)) port.adaptor.receive(bytes)
  }

  /**
   * Handles a request of the host to the web interface. Returns undefined if no connection can be made. Never resolves
   * if the stick accepts the connection but does not reply.
   */
  handleWebRequest(request: WebRequest): Promise<WebReply | undefined> {
    if (this.#port === 'half-open') return new Promise(() => undefined)
    const cycle = this.#cycle
    if (this.#port === 'lost' || cycle === undefined || !cycle.isListening) return Promise.resolve(undefined)
    this.#bytesIn += request.body.length
    return cycle.web.handle(request)
  }

  /** Switches the modem on. `warm`: all services are ready at once, without boot messages. */
  powerOn(options: { readonly warm?: boolean } = {}): void {
    if (this.#cycle !== undefined) return
    this.#regainPort()
    const warm = options.warm ?? false
    const timeFactor = warm ? 0 : (this.#options.bootTimeFactor ?? 1)
    const cycle = this.#newCycle()
    this.#cycle = cycle
    const answersAfterMs = this.personality.boot.answersAfterMs * timeFactor
    const listen = () => {
      cycle.isListening = true
      for (const { adaptor } of cycle.terminals) adaptor.listen()
      this.#mayEnterDataMode(cycle)
    }
    if (answersAfterMs <= 0) listen()
    else cycle.clock.after(answersAfterMs, listen)
    cycle.equipment.start(timeFactor, warm)
  }

  /** Switches the modem off; a USB modem also loses its port. */
  powerOff(): void {
    this.#stop()
    if (this.personality.usb) this.#losePort()
  }

  /** Restarts the modem; the port of a USB modem is lost until the modem has started. */
  reboot(): void {
    const isOn = this.#cycle !== undefined
    this.#stop()
    // Without power, the modem is already restarting or unplugged.
    if (this.#port === 'lost' && !isOn) return
    if (!this.personality.usb) {
      this.powerOn()
      return
    }
    this.#losePort()
    const awayMs = this.personality.boot.answersAfterMs * (this.#options.bootTimeFactor ?? 1)
    this.#portTimer = this.#options.clock.after(awayMs, () => this.plug())
  }

  /** Removes port and power. They return after `forMs`. If `forMs` is absent, they return when `plug` is called. */
  unplug(forMs?: number): void {
    this.#stop()
    this.#losePort()
    if (forMs !== undefined) this.#portTimer = this.#options.clock.after(forMs, () => this.plug())
  }

  plug(): void {
    this.#regainPort()
    this.powerOn()
  }

  /** Disconnects the port while the modem stays on, like the reset of a hub. */
  dropPort(forMs: number): void {
    if (this.#port === 'lost') return
    for (const { outlet } of this.#cycle?.terminals ?? []) outlet.clear()
    this.#losePort()
    this.#portTimer = this.#options.clock.after(forMs, () => this.#regainPort())
  }

  /** Changes the SIM. A running modem restarts, because real modems read the SIM only at power-on. */
  insertSim(sim: Sim | undefined): void {
    const running = this.#cycle !== undefined
    this.#stop()
    this.#sim = sim
    if (running) this.powerOn()
  }

  /** Sends an unsolicited line to the host. */
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
      hung: cycle?.terminals.some(({ adaptor }) => adaptor.hung) ?? false,
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
        bytesOut: this.#past.bytesOut + bytesOutOf(cycle),
        commands: this.#past.commands + commandsOf(cycle),
        submitted: this.#past.submitted + (equipment?.outgoing.submitted ?? 0),
        arrived: this.#past.arrived + (equipment?.incoming.arrived ?? 0),
      },
    }
  }

  #stop(): void {
    const cycle = this.#cycle
    if (cycle === undefined) return
    this.#cycle = undefined
    this.#past.bytesOut += bytesOutOf(cycle)
    this.#past.commands += commandsOf(cycle)
    this.#past.submitted += cycle.equipment.outgoing.submitted
    this.#past.arrived += cycle.equipment.incoming.arrived
    cycle.equipment.stop()
    for (const { outlet } of cycle.terminals) outlet.close()
    cycle.clock.close()
  }

  #newCycle(): PowerCycle {
    const clock = new ScopedClock(this.#options.clock)
    const { random, network } = this.#options
    const outlets = Array.from({ length: this.#options.terminals ?? 1 }, (_, terminal) => {
      return new ByteOutlet({
        clock,
        random,
        oneByOne: () => this.faults.standing('bytes-one-by-one') !== undefined,
        chunking: this.#options.chunking ?? 'random',
        onBytes: (bytes) => {
          if (this.#port === 'open') this.#options.onBytes(bytes, terminal)
        },
      })
    })
    const equipment = new MobileEquipment({
      personality: this.personality,
      imei: this.imei,
      sim: this.#sim,
      nonVolatile: this.#nonVolatile,
      network,
      clock,
      random,
      ownMemories: this.#options.ownMemories ?? false,
      faults: this.faults,
      power: {
        restart: () => this.reboot(),
        off: () => this.powerOff(),
        dropPort: (forMs) => this.dropPort(forMs),
        hang: () => {
          for (const { adaptor } of terminals) adaptor.hang()
        },
        deafen: (forMs) => {
          for (const { adaptor } of terminals) adaptor.deafen(forMs)
        },
      },
      writes: outlets.map((outlet, terminal) => (text) => {
        const port = terminals[terminal]
        if (!port?.adaptor.hung && !port?.dataMode.isOn) outlet.write(text)
      }),
    })
    const table = commandTable(this.personality)
    const terminals = outlets.map((outlet, terminal) => {
      const dataMode = new DataMode(clock, (text) => outlet.write(text))
      return { outlet, dataMode, adaptor: new TerminalAdaptor(equipment, outlet, table, terminal) }
    })
    const web = new WebInterface(equipment, this.#sentCopies)
    return { clock, terminals, equipment, web, isListening: false }
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

  /** Only the first port can have a data call. */
  #mayEnterDataMode({ isListening, terminals }: PowerCycle): void {
    if (isListening && this.faults.standing('data-mode') && this.faults.strike('data-mode'))
      terminals[0]?.dataMode.enter()
  }

  #faultsChanged(): void {
    if (this.#cycle !== undefined) this.#mayEnterDataMode(this.#cycle)
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

interface Terminal {
  readonly outlet: ByteOutlet
  readonly adaptor: TerminalAdaptor
  readonly dataMode: DataMode
}

interface PowerCycle {
  readonly clock: ScopedClock
  readonly terminals: readonly Terminal[]
  readonly equipment: MobileEquipment
  readonly web: WebInterface
  isListening: boolean
}

function bytesOutOf(cycle: PowerCycle | undefined): number {
  return cycle?.terminals.reduce((sum, { outlet }) => sum + outlet.bytesOut, 0) ?? 0
}

function commandsOf(cycle: PowerCycle | undefined): number {
  return cycle?.terminals.reduce((sum, { adaptor }) => sum + adaptor.commands, 0) ?? 0
}

export interface VirtualModemOptions {
  readonly personality: Personality
  readonly sim: Sim | undefined
  readonly network: Network
  readonly clock: Clock
  readonly random: SeededRandom
  /** The IMEI, 15 digits. Default: random. */
  readonly imei?: string
  readonly faults?: FaultSettings
  /** The number of ports that take commands. Default: 1. */
  readonly terminals?: 1 | 2
  /** True if each of the two ports selects its own memories (CPMS). Default: they share one selection. */
  readonly ownMemories?: boolean
  /** Bytes to the host; never called from inside the constructor. `terminal`: 0 for the first port. */
  readonly onBytes: (bytes: Uint8Array, terminal: number) => void
  /** Called when the port is lost or available again. `renumbered` means that the port has another name. */
  readonly onPort?: (event: 'lost' | 'back', detail: { readonly renumbered: boolean }) => void
  /** `random` (default): splits and merges output at random. `whole`: keeps each write in one piece. */
  readonly chunking?: 'random' | 'whole'
  /** The factor for boot times. 1 (default): as on real hardware. 0: no delay. */
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

/** Returns an IMEI: a type allocation code from the test range, a random serial number, and the Luhn check digit. */
function randomImei(random: SeededRandom): string {
  const body = `00440152${String(random.integer(1_000_000)).padStart(6, '0')}`
  let sum = 0
  for (const [index, digit] of [...body].entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return `${body}${(10 - (sum % 10)) % 10}`
}
