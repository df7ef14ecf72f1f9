import type { FaultSettings } from './faults/fault-control.ts'
import { ManualClock } from './manual-clock.ts'
import type { LedgerEntry } from './network/ledger.ts'
import { Network, type NetworkEvent, type NetworkOptions } from './network/network.ts'
import { generic } from './personalities/generic.ts'
import type { Personality } from './personalities/personality.ts'
import { seededRandom } from './random.ts'
import { Sim, type SimOptions } from './sim/sim.ts'
import { VirtualModem, type VirtualModemOptions } from './virtual-modem.ts'

/** A network on a manual clock, for the tests of this package. */
export function emulatedNetwork(options: Partial<NetworkOptions> = {}): EmulatedNetwork {
  const clock = new ManualClock()
  const ledger: LedgerEntry[] = []
  const events: NetworkEvent[] = []
  const network = new Network({
    clock,
    random: seededRandom(1),
    onAccepted: (entry) => ledger.push(entry),
    onEvent: (event) => events.push(event),
    ...options,
  })
  return { clock, network, ledger, events }
}

export interface EmulatedNetwork {
  readonly clock: ManualClock
  readonly network: Network
  readonly ledger: LedgerEntry[]
  readonly events: NetworkEvent[]
}

export const aliceNumber = '+447700900111'
export const bobNumber = '+447700900222'

export function simOf(msisdn: string, options: Partial<SimOptions> = {}): Sim {
  const tail = msisdn.slice(-6)
  return new Sim({ msisdn, iccid: `8944110000000${tail}`, imsi: `001010000${tail}`, ...options })
}

/**
 * A modem, and a host that records its input. By default the modem starts warm, does not echo and sends whole lines.
 */
export class EmulatedHost {
  readonly modem: VirtualModem
  readonly chunks: string[] = []
  readonly ports: string[] = []
  readonly #clock: ManualClock
  #text = ''

  constructor(world: EmulatedNetwork, options: HostOptions = {}) {
    this.#clock = world.clock
    const { personality = generic, sim = simOf(aliceNumber), faults, cold, echo, onText, ...others } = options
    this.modem = new VirtualModem({
      personality,
      sim: sim ?? undefined,
      network: world.network,
      clock: world.clock,
      random: seededRandom(7),
      imei: '004401520000012',
      chunking: 'whole',
      ...(faults && { faults }),
      ...others,
      onBytes: (bytes) => {
        const chunk = String.fromCharCode(...bytes)
        this.chunks.push(chunk)
        this.#text += chunk
        onText?.(chunk)
      },
      onPort: (event, { renumbered }) => this.ports.push(renumbered ? `${event} renumbered` : event),
    })
    if (cold) return
    this.modem.powerOn({ warm: true })
    if (!echo) this.say('ATE0\r')
  }

  /** Types the text and returns the immediate answer of the modem. */
  say(text: string): string {
    this.read()
    this.type(text)
    return this.read()
  }

  type(text: string): void {
    this.modem.receive(Uint8Array.from(text, (char) => char.charCodeAt(0)))
  }

  /** Returns the data that has arrived since the last call. */
  read(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  /** Advances the clock and returns the data that arrives meanwhile. */
  wait(ms: number): string {
    this.#clock.advance(ms)
    return this.read()
  }
}

export type HostOptions = Partial<Omit<VirtualModemOptions, 'sim' | 'onBytes' | 'network' | 'clock'>> & {
  readonly personality?: Personality
  /** Null: no SIM. */
  readonly sim?: Sim | null
  readonly faults?: FaultSettings
  readonly cold?: boolean
  readonly echo?: boolean
  /** Called with each chunk as it arrives. */
  readonly onText?: (text: string) => void
}
