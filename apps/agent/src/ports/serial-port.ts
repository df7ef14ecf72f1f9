import { SerialPort } from 'serialport'
import { Loss } from './loss.ts'
import type { OpenPort } from './open-port.ts'
import { explainSerialError, PortError } from './port-error.ts'
import { unplugSafeBinding } from './unplug-safe-binding.ts'

// USB modems ignore the rate; the few on a real UART almost all start at this one.
const BAUD_RATE = 115_200

/** A modem on a serial port or a pseudo-terminal. Its loss is reported once, by `onClosed`. */
export async function openSerialPort(path: string): Promise<OpenPort> {
  const options = { path, baudRate: BAUD_RATE, autoOpen: false, binding: unplugSafeBinding }
  const port = new SerialPort(options)
  await new Promise<void>((resolve, reject) => {
    port.open((error) => (error ? reject(new PortError(path, explainSerialError(error), error)) : resolve()))
  })
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
