import { once } from 'node:events'
import { type AddressInfo, type BlockList, createServer, isIPv4, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Log } from '@smsgw/daemon/log/log'

/** The largest number of connections, which limits memory and descriptors. */
const MOST_CONNECTIONS = 250
const MOST_OF_ADDRESS = 100
const HANDSHAKE_MS = 10_000

export interface SmppListener {
  readonly port: number
  readonly close: () => Promise<void>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** The certificate and the key, in PEM form. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** The networks that may connect. Default: without TLS only this machine, with TLS all networks. */
  readonly allowed: BlockList | undefined
  readonly connections: ConnectionCount
  readonly log: Log
  readonly onConnection: (socket: Socket, address: string) => void
}

/** Listens for clients. Refuses clients from other networks and clients above the limits. */
export async function listenSmpp(options: ListenOptions): Promise<SmppListener> {
  const { host, port, tls, connections, log, onConnection } = options
  const accept = (socket: Socket) => {
    if (!socket.destroyed) onConnection(socket, addressOf(socket))
  }
  const server: Server =
    tls === undefined
      ? createServer(accept)
      : createTlsServer({ ...tls, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS }, accept)
  // Checks the address before the TLS handshake, if the server uses TLS.
  server.prependListener('connection', (socket: Socket) => {
    const address = addressOf(socket)
    if (!isAllowed(address, options) || !connections.add(address)) {
      socket.destroy()
      return
    }
    socket.once('close', () => connections.remove(address))
  })
  server.on('tlsClientError', (error: Error, socket: Socket) => {
    log.debug({ reason: error.message }, 'TLS handshake of an SMPP client failed')
    socket.destroy()
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Counts the connections of all listeners. */
export class ConnectionCount {
  readonly #log: Log
  readonly #ofAddress = new Map<string, number>()
  #count = 0
  #isFull = false

  constructor(log: Log) {
    this.#log = log
  }

  /** Counts a connection. Returns false if the limit of connections is reached. */
  add(address: string): boolean {
    const ofAddress = this.#ofAddress.get(address) ?? 0
    if (this.#count >= MOST_CONNECTIONS || ofAddress >= MOST_OF_ADDRESS) {
      if (!this.#isFull) this.#log.warn({ client: address }, 'too many SMPP connections, refusing new ones')
      this.#isFull = true
      return false
    }
    this.#count += 1
    this.#ofAddress.set(address, ofAddress + 1)
    return true
  }

  remove(address: string): void {
    this.#count -= 1
    const left = (this.#ofAddress.get(address) ?? 1) - 1
    if (left === 0) this.#ofAddress.delete(address)
    else this.#ofAddress.set(address, left)
    if (this.#count < MOST_OF_ADDRESS / 2) this.#isFull = false
  }
}

function isAllowed(address: string, { allowed, tls }: ListenOptions): boolean {
  if (allowed === undefined) return tls !== undefined || /^127\.|^::1$/.test(address)
  return allowed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Returns the address of a client. Removes the IPv6 prefix of an IPv4 address. */
function addressOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:/, '')
}
