import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Starts the requests of a connection one after another. Node.js passes on all pipelined requests of a received block
 * at once, up to 3600 requests in 64 KiB. Without an order they would stop the process for other clients, and their
 * answers would collect in memory while the client does not read.
 *
 * A connection is idle, or it answers one request (`isBusy`). Requests that arrive meanwhile wait, and the connection
 * is not read until the last of them starts. A client that sends too many requests without waiting for answers is
 * disconnected.
 */
export class RequestTurns {
  readonly #connections = new WeakMap<Socket, Connection>()

  /** Registers for the upgrades of a server, because an upgraded connection belongs to the handler of the upgrade. */
  watchUpgrades(server: Server): void {
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      const connection = this.#connections.get(socket)
      if (connection) connection.isUpgraded = true
    })
  }

  /** Calls `start` when the answers to all earlier requests of the connection are written. */
  take({ socket }: IncomingMessage, response: ServerResponse, start: () => void): void {
    const connection = this.#connections.get(socket) ?? this.#add(socket)
    connection.isUpgraded = false
    if (!connection.isBusy) begin(connection, { response, start })
    else if (!socket.destroyed) wait(connection, { response, start })
  }

  #add(socket: Socket): Connection {
    const connection: Connection = { socket, isBusy: false, isUpgraded: false, waiting: [] }
    this.#connections.set(socket, connection)
    // Node.js resumes the connection whenever the body of a request is read or discarded.
    socket.on('resume', () => {
      if (connection.waiting.length > 0 && !connection.isUpgraded) socket.pause()
    })
    socket.once('close', () => connection.waiting.splice(0))
    return connection
  }
}

/**
 * Limits the memory that a connection uses, about 2 kB for each waiting request. Node.js receives at most 64 KiB at
 * once, so requests with credentials, which have more than 131 bytes, never reach the limit.
 */
const MOST_WAITING = 500

interface Turn {
  readonly response: ServerResponse
  readonly start: () => void
}

interface Connection {
  readonly socket: Socket
  isBusy: boolean
  isUpgraded: boolean
  readonly waiting: Turn[]
}

function wait({ socket, waiting }: Connection, turn: Turn): void {
  waiting.push(turn)
  if (waiting.length > MOST_WAITING) socket.destroy()
  else if (waiting.length === 1) socket.pause()
}

function begin(connection: Connection, { response, start }: Turn): void {
  connection.isBusy = true
  response.once('close', () => {
    // Other connections have their turn before the next request of this one.
    if (connection.waiting.length > 0) setImmediate(beginNext, connection)
    else connection.isBusy = false
  })
  start()
}

function beginNext(connection: Connection): void {
  const next = connection.waiting.shift()
  if (next === undefined) {
    connection.isBusy = false
    return
  }
  // The last request may need the rest of its body.
  if (connection.waiting.length === 0 && !connection.isUpgraded) connection.socket.resume()
  begin(connection, next)
}
