import { monotonicClock } from '@smsgw/agent/time/monotonic-clock'
import { Network } from '@smsgw/virtual-modem/network/network'
import { quectelEc25 } from '@smsgw/virtual-modem/personalities/quectel-ec25'
import { seededRandom } from '@smsgw/virtual-modem/random'
import { Sim } from '@smsgw/virtual-modem/sim/sim'
import { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import { VirtualPhones } from './virtual-phones.ts'

interface Port {
  write(bytes: Uint8Array): void
  onBytes(listener: (bytes: Uint8Array) => void): void
  onClosed(listener: (reason: string) => void): void
  close(): Promise<void>
}

const virtualNumber = '+447700900001'

/** A virtual modem and the virtual phones that it sends to. Their messages are lost when the process ends. */
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
      onEvent: (event) => {
        if (event.kind === 'left') this.phones.receive(event.message)
        else if (event.kind === 'replied') this.phones.replied(event)
      },
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
    // Registers the number of the SIM at once, because a phone may send before the modem is ready.
    network.enrol(sim)
    this.#modem.powerOn({ warm: true })
  }

  /** Opens the port. A port that was opened earlier receives no more data. */
  open(): Port {
    const listener = { current: (_: Uint8Array): void => undefined }
    this.#listener = (bytes) => listener.current(bytes)
    return {
      write: (bytes) => this.#modem.receive(bytes),
      onBytes: (onBytes) => {
        listener.current = onBytes
      },
      onClosed: () => undefined,
      close: async () => {
        listener.current = () => undefined
      },
    }
  }
}
