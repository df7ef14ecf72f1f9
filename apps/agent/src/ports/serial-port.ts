import { realpath } from 'node:fs/promises'
import { SerialPort } from 'serialport'
import type { OpenPort } from './open-port.ts'
import { describeForbidden, readPortAccess } from './port-access.ts'
import { absent, explainSerialError, isForbidden, isHeld, PortError, type PortProblem, refused } from './port-error.ts'
import { describeHolders, readHolders } from './port-holders.ts'
import { PortLoss } from './port-loss.ts'
import { unplugSafeBinding } from './unplug-safe-binding.ts'

// USB modems ignore the rate. Almost all modems on a UART start at this rate.
const BAUD_RATE = 115_200

/** Opens a serial port or a pseudo-terminal. `onClosed` reports its loss once. */
export async function openSerialPort(path: string): Promise<OpenPort> {
  await refuseShared(path)
  const options = { path, baudRate: BAUD_RATE, autoOpen: false, binding: unplugSafeBinding }
  const port = new SerialPort(options)
  const error = await new Promise<Error | null>((resolve) => port.open(resolve))
  if (error) throw new PortError(path, await explain(path, error), error)
  const loss = new PortLoss()
  port.on('error', (error: Error) => loss.report(`${path}: ${error.message}`))
  port.on('close', (error: Error | null) =>
    loss.report(error ? `${path}: device disconnected (${error.message})` : `${path}: closed`),
  )
  return {
    write: (bytes) => {
      // After a hang-up the stream refuses writes; `onClosed` reports the loss.
      if (port.isOpen) port.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    },
    onBytes: (listener) => {
      port.on('data', listener)
    },
    onClosed: (listener) => loss.onReport(listener),
    close: () => {
      loss.report(`${path}: closed by the agent`)
      if (!port.isOpen) return Promise.resolve()
      return new Promise((resolve, reject) => port.close((error) => (error ? reject(error) : resolve())))
    },
  }
}

/**
 * Root can open a port that another program has locked, and then both programs would write to it. A pseudo-terminal is always held
 * by the process that created it.
 */
async function refuseShared(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const device = await realpath(path).catch(() => undefined)
  if (device === undefined || device.startsWith('/dev/pts/')) return
  const holders = await readHolders(device)
  if (holders.programs.length > 0) throw new PortError(path, refused(describeHolders(holders)))
}

async function explain(path: string, error: Error): Promise<PortProblem> {
  if (isHeld(error)) return refused(describeHolders(await readHolders(path)))
  if (!isForbidden(error)) return explainSerialError(error)
  const access = await readPortAccess(path)
  if (access === undefined) return explainSerialError(error)
  return access.isFresh
    ? absent('the device is new, and udev is still setting its permissions')
    : refused(describeForbidden(access))
}
