import type { Network } from '@smsgw/virtual-modem/network/network'
import type { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import type { HostPort } from './host/host-port.ts'
import { InstructionRefused } from './instructions/instruction.ts'

/** The modems and their network. */
export class World {
  readonly network: Network
  readonly modems: readonly ServedModem[]

  constructor(network: Network, modems: readonly ServedModem[]) {
    this.network = network
    this.modems = modems
  }

  modem(name: string): ServedModem {
    const found = this.modems.find((modem) => modem.name === name)
    if (found) return found
    throw new InstructionRefused(
      'unknown-modem',
      `no modem has the name ${name}; the modems are ${this.modems.map((modem) => modem.name).join(', ')}`,
    )
  }

  /** Returns the phone number of a SIM, which is given by that number or by the name of its modem. */
  number(nameOrNumber: string): string {
    const number = nameOrNumber.startsWith('+') ? nameOrNumber : this.modem(nameOrNumber).virtual.sim?.msisdn
    const known = this.network.snapshot().subscribers.map(({ msisdn }) => msisdn)
    if (number !== undefined && known.includes(number)) return number
    throw new InstructionRefused(
      'unknown-number',
      `no SIM of the emulator has the number ${number ?? nameOrNumber}; the numbers are ${known.join(', ')}`,
    )
  }
}

/** A virtual modem and its ports. The ports of its second terminal are the last. */
export interface ServedModem {
  readonly name: string
  readonly virtual: VirtualModem
  readonly ports: readonly HostPort[]
}
