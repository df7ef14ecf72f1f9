import { Socket } from 'node:net'

/**
 * A connection to the database that breaks when nothing has come or gone for so long: the server would have ended any
 * statement by then, so that it is gone without a word (a cable, a firewall that forgot). The system itself would go on
 * asking for a quarter of an hour, and so long would whoever waits for an answer.
 */
export function impatientSocket(silenceMs: number): Socket {
  const socket = new Socket()
  socket.setTimeout(silenceMs, () => socket.destroy(new DatabaseSilent(silenceMs)))
  return socket
}

class DatabaseSilent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(silenceMs: number) {
    super(`the database has said nothing for ${silenceMs / 1000} s`)
  }
}
