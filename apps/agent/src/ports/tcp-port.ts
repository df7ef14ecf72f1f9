import { connect, type Socket } from 'node:net'
import type { OpenPort } from './open-port.ts'
import { absent, explainTcpError, PortError, type PortProblem, refused } from './port-error.ts'
import { PortLoss } from './port-loss.ts'

const CONNECT_TIMEOUT_MS = 5_000

/** Opens a modem over TCP: ser2net in raw mode, or the emulator. */
export async function openTcpPort(address: string): Promise<OpenPort> {
  const { hostname, port } = parse(address)
  const socket = connect({ host: hostname, port, noDelay: true })
  await connected(socket, address)
  const loss = new PortLoss()
  socket.on('error', (error) => loss.report(`${address}: ${error.message}`))
  socket.on('close', () => loss.report(`${address}: the other side closed the connection`))
  return {
    write: (bytes) => {
      socket.write(bytes)
    },
    onBytes: (listener) => {
      socket.on('data', listener)
    },
    onClosed: (listener) => loss.onReport(listener),
    close: () => {
      loss.report(`${address}: closed by the agent`)
      if (socket.destroyed) return Promise.resolve()
      return new Promise((resolve) => socket.once('close', () => resolve()).destroy())
    },
  }
}

function parse(address: string): { hostname: string; port: number } {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const port = Number(url?.port)
  if (!url?.hostname || !port) throw new PortError(address, refused('not a valid address: use tcp://host:port'))
  return { hostname: url.hostname.replace(/^\[|\]$/g, ''), port }
}

function connected(socket: Socket, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (problem: PortProblem, cause?: unknown) => {
      socket.destroy()
      reject(new PortError(address, problem, cause))
    }
    const timer = setTimeout(
      () => fail(absent('the host does not answer: check address and network')),
      CONNECT_TIMEOUT_MS,
    )
    socket.once('error', (error) => {
      clearTimeout(timer)
      fail(explainTcpError(error), error)
    })
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners('error')
      resolve()
    })
  })
}
