import { readSync, writeSync } from 'node:fs'
import { SerialPort } from 'serialport'

// On Linux, read() of a disconnected device always returns 0 bytes. The binding of serialport 13 then reads in an
// endless loop, which keeps one core busy and never emits `close`. Here, a read of 0 bytes means that the device is
// disconnected.

type Binding = typeof SerialPort.binding
type OpenOptions = Parameters<Binding['open']>[0]
type Port = Awaited<ReturnType<Binding['open']>>

interface LinuxPort {
  readonly fd: number | null
  readonly isOpen: boolean
  readonly poller: { once(event: 'readable', listener: (error: Error | null) => void): void }
}

const GONE = new Set(['EBADF', 'ENXIO', 'EIO', 'ENODEV', 'UNKNOWN'])
const NOTHING_YET = new Set(['EAGAIN', 'EWOULDBLOCK', 'EINTR'])

// The type of the binding is a union of the types of all platforms, and TypeScript cannot call `open` of this union.
// `bind` is needed because `open` stores the last descriptor in the binding.
const openDetected = SerialPort.binding.open.bind(SerialPort.binding) as (options: OpenOptions) => Promise<Port>

export const unplugSafeBinding = {
  list: () => SerialPort.binding.list(),
  async open(options: OpenOptions): Promise<Port> {
    const port = await openDetected(options)
    if (process.platform === 'linux') {
      const linuxPort = port as unknown as LinuxPort
      const write = port.write.bind(port)
      port.read = (buffer, offset, length) => readUntilGone(linuxPort, buffer, offset, length)
      port.write = (buffer) => writeAtOnce(linuxPort, buffer, write)
    }
    return port
  },
}

/**
 * Waits until the port has data, and then reads the data in this thread. The binding opens a port in non-blocking mode,
 * so the read returns at once. This is several times faster than the read function of the binding, which passes each
 * call to the thread pool, and which reads once before it waits.
 */
async function readUntilGone(port: LinuxPort, buffer: Buffer, offset: number, length: number) {
  for (;;) {
    if (!port.isOpen || port.fd === null) throw canceled()
    await readable(port)
    if (!port.isOpen || port.fd === null) throw canceled()
    const bytesRead = readNow(port.fd, buffer, offset, length)
    if (bytesRead !== undefined) return { bytesRead, buffer }
  }
}

/** Returns undefined if there is no data. */
function readNow(fd: number, buffer: Buffer, offset: number, length: number): number | undefined {
  try {
    const bytesRead = readSync(fd, buffer, offset, length, null)
    if (bytesRead > 0) return bytesRead
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (NOTHING_YET.has(code)) return undefined
    throw GONE.has(code) ? Object.assign(error as Error, { disconnect: true }) : error
  }
  throw Object.assign(new Error('the device was disconnected'), { disconnect: true })
}

/** Writes as many bytes as the port accepts at once, and lets the binding write the rest or report the error. */
async function writeAtOnce(port: LinuxPort, buffer: Buffer, write: Port['write']): Promise<void> {
  let written = 0
  try {
    if (port.fd !== null) written = writeSync(port.fd, buffer)
  } catch {
    // Ignores the error: the binding waits until the port is writable, or fails in the same way.
  }
  if (written < buffer.length) await write(buffer.subarray(written))
}

function readable(port: LinuxPort): Promise<void> {
  return new Promise((resolve, reject) => port.poller.once('readable', (error) => (error ? reject(error) : resolve())))
}

function canceled(): Error {
  return Object.assign(new Error('the port is closed'), { canceled: true })
}
