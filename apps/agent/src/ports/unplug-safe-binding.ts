import { read } from 'node:fs'
import { SerialPort } from 'serialport'

// On Linux, read() of a disconnected device always returns 0 bytes. The binding of serialport 13 then reads in an endless loop,
// which keeps one core busy and never emits `close`. Here, a read of 0 bytes means that the device is disconnected.

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

// The binding depends on the platform, so its type is a union whose `open` cannot be called. `bind` is needed because the
// binding stores the last descriptor on itself.
const openDetected = SerialPort.binding.open.bind(SerialPort.binding) as (options: OpenOptions) => Promise<Port>

export const unplugSafeBinding = {
  list: () => SerialPort.binding.list(),
  async open(options: OpenOptions): Promise<Port> {
    const port = await openDetected(options)
    if (process.platform === 'linux') {
      const linuxPort = port as unknown as LinuxPort
      port.read = (buffer, offset, length) => readUntilGone(linuxPort, buffer, offset, length)
    }
    return port
  },
}

async function readUntilGone(port: LinuxPort, buffer: Buffer, offset: number, length: number) {
  for (;;) {
    if (!port.isOpen || port.fd === null) throw canceled()
    const result = await readOnce(port.fd, buffer, offset, length)
    if (typeof result === 'number') {
      if (result > 0) return { bytesRead: result, buffer }
      throw Object.assign(new Error('the device hung up'), { disconnect: true })
    }
    if (NOTHING_YET.has(result.code ?? '')) {
      if (!port.isOpen) throw canceled()
      await readable(port)
      continue
    }
    throw GONE.has(result.code ?? '') ? Object.assign(result, { disconnect: true }) : result
  }
}

function readOnce(fd: number, buffer: Buffer, offset: number, length: number): Promise<number | NodeJS.ErrnoException> {
  return new Promise((resolve) => read(fd, buffer, offset, length, null, (error, count) => resolve(error ?? count)))
}

function readable(port: LinuxPort): Promise<void> {
  return new Promise((resolve, reject) => port.poller.once('readable', (error) => (error ? reject(error) : resolve())))
}

function canceled(): Error {
  return Object.assign(new Error('the port is closed'), { canceled: true })
}
