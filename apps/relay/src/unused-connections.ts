import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Tracks connections without a request, which browsers open in advance. Node does not count them as idle and would wait for
 * them on shutdown. Returns the function that closes them.
 */
export function unusedConnections(server: Server): () => void {
  const unused = new Set<Socket>()
  const use = ({ socket }: IncomingMessage) => unused.delete(socket)
  // Over TLS requests arrive on the TLS socket, not on the TCP socket of `connection`.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', use).on('upgrade', use)
  return () => {
    for (const socket of unused) socket.destroy()
  }
}
