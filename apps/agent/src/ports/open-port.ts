import type { ClosableWebPort } from '@smsgw/modem/recovery/runner'
import type { BytePort } from '@smsgw/modem/wire/byte-port'
import { isHilink, openHilinkPort } from './hilink-port.ts'
import { PortError, refused } from './port-error.ts'
import { openSerialPort } from './serial-port.ts'
import { openTcpPort } from './tcp-port.ts'

export interface OpenPort extends BytePort {
  /** Closes the port. Resolves when the device can be opened again. */
  close(): Promise<void>
}

/** Opens a path such as `/dev/ttyUSB2`, or `tcp://host:port` (ser2net, emulator). Rejects with a PortError. */
export function openPort(address: string): Promise<OpenPort> {
  if (/^\.{0,2}\//.test(address)) return openSerialPort(address)
  if (address.startsWith('tcp://')) return openTcpPort(address)
  throw new PortError(address, refused('not a port: name a device such as /dev/ttyUSB2, or tcp://host:port'))
}

export type OpenAttempt =
  | { readonly kind: 'opened'; readonly port: OpenPort | ClosableWebPort }
  | { readonly kind: PortError['problem']; readonly words: string }

/**
 * Like `openPort`, but also opens `hilink://192.168.8.1`. Returns a problem instead of throwing it, for callers that
 * retry.
 */
export async function tryOpenPort(address: string): Promise<OpenAttempt> {
  try {
    return { kind: 'opened', port: await (isHilink(address) ? openHilinkPort(address) : openPort(address)) }
  } catch (error) {
    if (error instanceof PortError) return { kind: error.problem, words: error.message }
    throw error
  }
}
