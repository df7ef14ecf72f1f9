import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/**
 * Answers a request with an `Upgrade` header as if it had no such header, because Java's client offers `h2c` with every
 * request over plain HTTP. When Node.js 24.21 refuses an upgrade, it loses the requests that are pipelined after this
 * request. Therefore, the same bytes are parsed again without the `Upgrade` header.
 */
export function ignoreUpgrades(server: Server, isOurs: (request: IncomingMessage) => boolean): void {
  const connectionEvent = server instanceof TlsServer ? 'secureConnection' : 'connection'
  const unanswered = new WeakMap<Socket, number>()
  server.on('request', ({ socket }, response) => {
    unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const rest = (unanswered.get(socket) ?? 1) - 1
      unanswered.set(socket, rest)
      if (rest === 0) socket.emit(ALL_ANSWERED)
    })
  })
  server.on('upgrade', (request, stream, head) => {
    if (isOurs(request)) return
    const socket = stream as Socket
    const destroy = () => socket.destroy()
    socket.on('error', destroy)
    const startAgain = () => {
      socket.off('error', destroy)
      if (socket.destroyed) return
      server.emit(connectionEvent, socket)
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]))
    }
    // The pending answers of the old parser must be sent first, because the new parser would not wait for them.
    if ((unanswered.get(socket) ?? 0) === 0) startAgain()
    else socket.once(ALL_ANSWERED, startAgain)
  })
}

/** The event that a socket emits when it has no unanswered requests. */
const ALL_ANSWERED = 'smsgw:all-answered'

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1]}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
