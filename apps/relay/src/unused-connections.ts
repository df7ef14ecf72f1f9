import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Connections on which nothing was asked yet: browsers open some in advance. Node does not count them as idle, and would
 * wait for them at the end. Returns what closes them.
 */
export function unusedConnections(server: Server): () => void {
  const unused = new Set<Socket>()
  const use = ({ socket }: IncomingMessage) => unused.delete(socket)
  // Over TLS requests come from another socket than the one that was connected.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', use).on('upgrade', use)
  return () => {
    for (const socket of unused) socket.destroy()
  }
}
