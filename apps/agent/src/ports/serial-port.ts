import { realpath } from 'node:fs/promises'
import { SerialPort } from 'serialport'
import { Loss } from './loss.ts'
import type { OpenPort } from './open-port.ts'
import { readPortAccess, wordsOfForbidden } from './port-access.ts'
import { absent, explainSerialError, isForbidden, isHeld, PortError, type PortProblem, refused } from './port-error.ts'
import { readHolders, wordsOfHolders } from './port-holders.ts'
import { unplugSafeBinding } from './unplug-safe-binding.ts'

// USB modems ignore the rate; the few on a real UART almost all start at this one.
const BAUD_RATE = 115_200

/** A modem on a serial port or a pseudo-terminal. Its loss is reported once, by `onClosed`. */
export async function openSerialPort(path: string): Promise<OpenPort> {
  await refuseShared(path)
  const options = { path, baudRate: BAUD_RATE, autoOpen: false, binding: unplugSafeBinding }
  const port = new SerialPort(options)
  const error = await new Promise<Error | null>((resolve) => port.open(resolve))
  if (error) throw new PortError(path, await explain(path, error), error)
  const loss = new Loss()
  port.on('error', (error: Error) => loss.report(`${path}: ${error.message}`))
  port.on('close', (error: Error | null) =>
    loss.report(error ? `${path}: the device is gone (${error.message})` : `${path}: closed`),
  )
  return {
    write: (bytes) => {
      // After a hang-up the stream refuses writes; the loss itself is told by `onClosed`.
      if (port.isOpen) port.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    },
    onBytes: (listener) => {
      port.on('data', listener)
    },
    onClosed: (listener) => loss.onReport(listener),
    close: () => {
      loss.report(`${path}: closed by us`)
      if (!port.isOpen) return Promise.resolve()
      return new Promise((resolve, reject) => port.close((error) => (error ? reject(error) : resolve())))
    },
  }
}

/**
 * The superuser may open what another program has for itself, and both would talk at once. The other end of a
 * pseudo-terminal is held by who made it.
 */
async function refuseShared(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const device = await realpath(path).catch(() => undefined)
  if (device === undefined || device.startsWith('/dev/pts/')) return
  const holders = await readHolders(device)
  if (holders.programs.length > 0) throw new PortError(path, refused(wordsOfHolders(holders)))
}

async function explain(path: string, error: Error): Promise<PortProblem> {
  if (isHeld(error)) return refused(wordsOfHolders(await readHolders(path)))
  if (!isForbidden(error)) return explainSerialError(error)
  const access = await readPortAccess(path)
  if (access === undefined) return explainSerialError(error)
  return access.isFresh ? absent('it is new, and its permissions are being set') : refused(wordsOfForbidden(access))
}
