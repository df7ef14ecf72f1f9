import { realpath } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { SerialPort } from 'serialport'
import { defaultBaudRate, detectBaudRate, isUart, type RatedPort } from './detect-baud-rate.ts'
import type { OpenPort } from './open-port.ts'
import { describeForbidden, readPortAccess } from './port-access.ts'
import { absent, explainSerialError, isForbidden, isHeld, PortError, type PortProblem, refused } from './port-error.ts'
import { describeHolders, readHolders } from './port-holders.ts'
import { PortLoss } from './port-loss.ts'
import { unplugSafeBinding } from './unplug-safe-binding.ts'

/**
 * Opens a serial port or a pseudo-terminal. `onClosed` reports the loss of the port once.
 *
 * @param hasRate returns true if the rate of a device must be found
 */
export async function openSerialPort(path: string, hasRate = isUart): Promise<OpenPort> {
  await refuseShared(path)
  const options = { path, baudRate: defaultBaudRate, autoOpen: false, binding: unplugSafeBinding }
  const port = new SerialPort(options)
  const error = await new Promise<Error | null>((resolve) => port.open(resolve))
  if (error) throw new PortError(path, await explain(path, error), error)
  const loss = new PortLoss()
  port.on('error', (error: Error) => loss.report(`${path}: ${error.message}`))
  port.on('close', (error: Error | null) =>
    loss.report(error ? `${path}: device disconnected (${error.message})` : `${path}: closed`),
  )
  const device = await realpath(path).catch(() => path)
  if (hasRate(device)) await useItsRate(port, device)
  return {
    write: (bytes) => {
      // After a hang-up, the stream refuses writes. `onClosed` reports the loss.
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

/** The rates at which modems answered in this process, by device. */
const knownRates = new Map<string, number>()

/** The baud rate of a port that is a UART. Undefined for other ports, which work at any rate. */
export async function baudRateOf(path: string): Promise<number | undefined> {
  const device = await realpath(path).catch(() => path)
  return isUart(device) ? (knownRates.get(device) ?? defaultBaudRate) : undefined
}

async function useItsRate(port: SerialPort, device: string): Promise<void> {
  const rated: RatedPort = {
    // If the device disconnects meanwhile, `onClosed` reports the loss.
    setRate: (baudRate) =>
      new Promise((resolve) => (port.isOpen ? port.update({ baudRate }, () => resolve()) : resolve())),
    write: (text) => {
      if (port.isOpen) port.write(text, 'latin1')
    },
    onText: (listener) => {
      const onData = (bytes: Buffer) => listener(bytes.toString('latin1'))
      port.on('data', onData)
      return () => port.off('data', onData)
    },
    wait: (ms) => setTimeout(ms),
  }
  const rate = await detectBaudRate(rated, knownRates.get(device))
  if (rate !== undefined) knownRates.set(device, rate)
}

/**
 * Refuses a port that another program has locked. Root could open such a port, and both programs would write to the
 * modem. The process that created a pseudo-terminal always keeps it open, so pseudo-terminals are not checked.
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
