import { monotonicClock } from '@smsgw/agent/monotonic-clock'
import { Network } from '@smsgw/virtual-modem/network'
import { quectelEc25 } from '@smsgw/virtual-modem/personalities/quectel-ec25'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'

interface Port {
  write(bytes: Uint8Array): void
  onBytes(listener: (bytes: Uint8Array) => void): void
  onClosed(listener: (reason: string) => void): void
  close(): Promise<void>
}

const virtualNumber = '+447700900001'

/**
 * A modem that is not there, for whoever has none: it takes messages and delivers them to nobody. It forgets them when
 * the process ends.
 */
export class VirtualPhoneLine {
  readonly network: Network
  readonly #modem: VirtualModem
  #listener: ((bytes: Uint8Array) => void) | undefined

  constructor() {
    const clock = { ...monotonicClock, epochMs: () => Date.now() }
    const random = seededRandom(Date.now())
    this.network = new Network({ clock, random, latencyMs: 300 })
    const sim = new Sim({ msisdn: virtualNumber, iccid: '8944100000000000017', imsi: '234100000000001' })
    this.#modem = new VirtualModem({
      personality: quectelEc25,
      sim,
      network: this.network,
      clock,
      random,
      imei: '356938035643809',
      onBytes: (bytes) => this.#listener?.(bytes),
    })
    this.#modem.powerOn({ warm: true })
  }

  /** One who opens it anew takes it over. */
  open(): Port {
    const listener = { current: (_: Uint8Array): void => undefined }
    this.#listener = (bytes) => listener.current(bytes)
    return {
      write: (bytes) => this.#modem.receive(bytes),
      onBytes: (heard) => {
        listener.current = heard
      },
      onClosed: () => undefined,
      close: async () => {
        listener.current = () => undefined
      },
    }
  }
}
