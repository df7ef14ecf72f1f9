import { Socket } from 'node:net'

/**
 * A database connection that fails after `silenceMs` without traffic. The server would have ended any statement by then, so
 * the connection is dead without an error (a cut cable, a firewall that dropped its state). TCP alone would keep the request
 * waiting for a quarter of an hour.
 */
export function impatientSocket(silenceMs: number): Socket {
  const socket = new Socket()
  socket.setTimeout(silenceMs, () => socket.destroy(new DatabaseSilent(silenceMs)))
  return socket
}

class DatabaseSilent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(silenceMs: number) {
    super(`no traffic on the database connection for ${silenceMs / 1000} s`)
  }
}
