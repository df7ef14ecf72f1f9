import { monotonicClock } from '@smsgw/agent/monotonic-clock'
import { Network } from '@smsgw/virtual-modem/network'
import { quectelEc25 } from '@smsgw/virtual-modem/personalities/quectel-ec25'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import { VirtualPhones } from './virtual-phones.ts'

interface Port {
  write(bytes: Uint8Array): void
  onBytes(listener: (bytes: Uint8Array) => void): void
  onClosed(listener: (reason: string) => void): void
  close(): Promise<void>
}

const virtualNumber = '+447700900001'

/**
 * A modem that is not there, for whoever has none: what it sends arrives at phones that are not there either. They forget
 * it when the process ends.
 */
export class VirtualPhoneLine {
  readonly phones: VirtualPhones
  readonly #modem: VirtualModem
  #listener: ((bytes: Uint8Array) => void) | undefined

  constructor() {
    const clock = { ...monotonicClock, epochMs: () => Date.now() }
    const random = seededRandom(Date.now())
    const network = new Network({
      clock,
      random,
      latencyMs: 300,
      onEvent: (event) => event.kind === 'left' && this.phones.receive(event.message),
    })
    this.phones = new VirtualPhones({ network, gatewayNumber: virtualNumber, epochMs: clock.epochMs })
    const sim = new Sim({ msisdn: virtualNumber, iccid: '8944100000000000017', imsi: '234100000000001' })
    this.#modem = new VirtualModem({
      personality: quectelEc25,
      sim,
      network,
      clock,
      random,
      imei: '356938035643809',
      onBytes: (bytes) => this.#listener?.(bytes),
    })
    // Known from the start: a phone may write before the modem is ready.
    network.enrol(sim)
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
