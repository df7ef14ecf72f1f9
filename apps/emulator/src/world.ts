import type { Network } from '@smsgw/virtual-modem/network'
import { InstructionRefused } from './instructions/instruction.ts'
import type { ServedModem } from './served-modem.ts'

/** The modems and the network they share, for everything that acts on them. */
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
      `no modem is called ${name}; there are ${this.modems.map((modem) => modem.name).join(', ')}`,
    )
  }

  /** The number of a SIM that the network knows, given as such or by the name of the modem it is in. */
  number(nameOrNumber: string): string {
    const number = nameOrNumber.startsWith('+') ? nameOrNumber : this.modem(nameOrNumber).virtual.sim?.msisdn
    const known = this.network.snapshot().subscribers.map(({ msisdn }) => msisdn)
    if (number !== undefined && known.includes(number)) return number
    throw new InstructionRefused(
      'unknown-number',
      `no SIM of the emulator has the number ${number ?? nameOrNumber}; there are ${known.join(', ')}`,
    )
  }
}
