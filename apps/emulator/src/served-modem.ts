import type { VirtualModem } from '@smsgw/virtual-modem/virtual-modem'
import type { HostPort } from './host/host-port.ts'

/** A virtual modem and the ports that programs reach it through. What it says goes to all of them. */
export interface ServedModem {
  readonly name: string
  readonly virtual: VirtualModem
  readonly ports: readonly HostPort[]
}
