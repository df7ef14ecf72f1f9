import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { StartError } from '@smsgw/daemon/start-error'
import type { TcpAddress } from '../options/tcp-address.ts'
import { Cable } from './cable.ts'
import type { HostPort, ReceiveBytes } from './host-port.ts'

/**
 * A modem on a TCP port. The port serves one program at a time: a new connection replaces the current connection. So a
 * dead connection cannot block the port. While the modem is unplugged, connections are reset; the port stays bound.
 */
export class TcpHost implements HostPort {
  readonly #server: Server
  readonly #receive: ReceiveBytes
  readonly #sockets = new Set<Socket>()
  #client: Client | undefined
  #plugged = true

  private constructor(server: Server, receive: ReceiveBytes) {
    this.#server = server
    this.#receive = receive
    server.on('connection', (socket) => this.#accept(socket))
  }

  static async listen(at: TcpAddress, receive: ReceiveBytes, key: string): Promise<TcpHost> {
    return new TcpHost(await listenTcp(createServer({ noDelay: true, keepAlive: true }), at, key), receive)
  }

  get address(): string {
    return `tcp://${addressOf(this.#server)}`
  }

  describe(): string {
    if (!this.#plugged) return 'unplugged'
    return this.#client?.peer ?? 'not connected'
  }

  send(bytes: Uint8Array): void {
    this.#client?.cable.send(bytes)
  }

  takeAway(): void {
    this.#plugged = false
    this.#client?.socket.resetAndDestroy()
    this.#client = undefined
  }

  bringBack(): void {
    this.#plugged = true
  }

  async close(): Promise<void> {
    this.#plugged = false
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#client?.socket.end()
    this.#client = undefined
    // Limits the wait for a peer that keeps its end open.
    const forceClose = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, CLOSE_TIMEOUT_MS)
    await closed
    clearTimeout(forceClose)
  }

  #accept(socket: Socket): void {
    // Ignores a reset by the peer, which is a normal end.
    socket.on('error', () => socket.destroy())
    if (!this.#plugged) {
      socket.resetAndDestroy()
      return
    }
    this.#client?.socket.destroy()
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    const client = {
      socket,
      peer,
      cable: new Cable(socket, (bytes) => this.#client === client && this.#receive(bytes)),
    }
    this.#client = client
    this.#sockets.add(socket)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (this.#client === client) this.#client = undefined
    })
  }
}

const CLOSE_TIMEOUT_MS = 500

interface Client {
  readonly socket: Socket
  readonly peer: string
  readonly cable: Cable
}

/** @param key the option that the error names */
export async function listenTcp<S extends Server>(server: S, { host, port }: TcpAddress, key: string): Promise<S> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return server
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem =
      code === 'EADDRINUSE' ? 'is in use by another program' : code === 'EACCES' ? 'is not allowed' : message
    throw new StartError(`${key}: ${host}:${port} ${problem}; choose another port, or 0 for any free port`)
  }
}

/** `127.0.0.1:7001`, `[::1]:7001` */
export function addressOf(server: Server): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return 'closed'
  return `${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}
