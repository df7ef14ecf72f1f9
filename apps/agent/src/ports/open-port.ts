import type { BytePort } from '@smsgw/modem/byte-port'
import { PortError, refused } from './port-error.ts'
import { openSerialPort } from './serial-port.ts'
import { openTcpPort } from './tcp-port.ts'

export interface OpenPort extends BytePort {
  /** Resolves when the device is free for the next one who opens it. */
  close(): Promise<void>
}

/** `/dev/ttyUSB2` (any path), or `tcp://host:port` for ser2net and the emulator. Rejects with a PortError. */
export function openPort(address: string): Promise<OpenPort> {
  if (/^\.{0,2}\//.test(address)) return openSerialPort(address)
  if (address.startsWith('tcp://')) return openTcpPort(address)
  throw new PortError(address, refused('not a port: name a device such as /dev/ttyUSB2, or tcp://host:port'))
}
