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
 *
 * The last request of a received block is usually incomplete, and its rest is not read while earlier requests wait.
 * Therefore, `timeOut` decides whether a request that did not arrive in time was sent too slowly.
 */
export class RequestTurns {
  readonly #connections = new WeakMap<Socket, Connection>()
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Registers for the upgrades of a server, because an upgraded connection belongs to the handler of the upgrade. */
  watchUpgrades(server: Server): void {
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      const connection = this.#connections.get(socket)
      if (!connection) return
      connection.isUpgraded = true
      forgetLate(connection)
    })
  }

  /** Calls `start` when the answers to all earlier requests of the connection are written. */
  take(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    const { socket } = request
    const connection = this.#connections.get(socket) ?? this.#add(socket)
    connection.isUpgraded = false
    connection.taken += 1
    connection.latest = request
    if (!connection.isBusy) begin(connection, { response, start })
    else if (!socket.destroyed) wait(connection, { response, start })
  }

  /**
   * Calls `answer` when Node.js reports that a request of the connection did not arrive in time. If earlier requests
   * are unanswered or the connection was not read meanwhile, the request first gets the same time again, counted from
   * the end of the earlier answers. Node.js reports a request only once, so a timer of its own limits this time.
   */
  timeOut(socket: Socket, answer: () => void): void {
    const connection = this.#connections.get(socket)
    const number = connection === undefined ? 0 : connection.taken + (isIncomplete(connection) ? 0 : 1)
    if (connection === undefined || (number > connection.delayed && !isBehind(connection, number))) answer()
    else {
      connection.late = { number, answer, timer: undefined }
      limitLate(connection)
    }
  }

  #add(socket: Socket): Connection {
    const connection: Connection = {
      ...{ socket, limits: this.#limits, isBusy: false, isUpgraded: false, waiting: [] },
      ...{ taken: 0, started: 0, delayed: 0, latest: undefined, late: undefined },
    }
    this.#connections.set(socket, connection)
    // Node.js resumes the connection whenever the body of a request is read or discarded.
    socket.on('resume', () => pauseIfWaiting(connection))
    socket.once('close', () => {
      connection.waiting.splice(0)
      forgetLate(connection)
    })
    return connection
  }
}

/**
 * Limits the memory that a connection uses, about 2 kB for each waiting request. Node.js receives at most 64 KiB at
 * once, so requests of more than 131 bytes never reach the limit.
 */
const MOST_WAITING = 500

/** The time limits of the server. */
interface Limits {
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
}

interface Turn {
  readonly response: ServerResponse
  readonly start: () => void
}

interface Connection {
  readonly socket: Socket
  readonly limits: Limits
  isBusy: boolean
  isUpgraded: boolean
  readonly waiting: Turn[]
  /** The number of requests that were received. Each request has the number that it was received as, from 1. */
  taken: number
  /** The number of requests that were started. */
  started: number
  /** The number of the last request that may have arrived late because the connection was not read. */
  delayed: number
  /** The last request that was received. Undefined if it is complete and answered. */
  latest: IncomingMessage | undefined
  late: Late | undefined
}

/** A request that Node.js reported as late. The connection is not necessarily read yet. */
interface Late {
  readonly number: number
  readonly answer: () => void
  timer: NodeJS.Timeout | undefined
}

function wait(connection: Connection, turn: Turn): void {
  const { socket, waiting } = connection
  waiting.push(turn)
  // The request behind this one may be cut.
  connection.delayed = connection.taken + 1
  if (waiting.length > MOST_WAITING) socket.destroy()
  // Waits for the end of the received block, because an upgraded connection must not be paused.
  else if (waiting.length === 1) process.nextTick(pauseIfWaiting, connection)
}

function pauseIfWaiting({ socket, waiting, isUpgraded }: Connection): void {
  if (waiting.length > 0 && !isUpgraded) socket.pause()
}

function begin(connection: Connection, { response, start }: Turn): void {
  connection.isBusy = true
  connection.started += 1
  limitLate(connection)
  response.once('close', () => {
    // Other connections have their turn before the next request of this one.
    if (connection.waiting.length > 0) setImmediate(beginNext, connection)
    else rest(connection)
  })
  start()
}

function beginNext(connection: Connection): void {
  const next = connection.waiting.shift()
  if (next === undefined) return void rest(connection)
  // The last request may need the rest of its body.
  if (connection.waiting.length === 0 && !connection.isUpgraded) connection.socket.resume()
  begin(connection, next)
}

function rest(connection: Connection): void {
  connection.isBusy = false
  if (!isIncomplete(connection)) connection.latest = undefined
  limitLate(connection)
}

/** Starts the time limit of the late request when all earlier requests are answered. */
function limitLate(connection: Connection): void {
  const { late, limits } = connection
  if (late === undefined || isBehind(connection, late.number)) return
  clearTimeout(late.timer)
  if (hasArrived(connection, late.number)) return void forgetLate(connection)
  const limitMs = connection.taken < late.number ? limits.headersTimeoutMs : limits.requestTimeoutMs
  late.timer = setTimeout(() => {
    if (!hasArrived(connection, late.number)) late.answer()
  }, limitMs).unref()
}

function forgetLate(connection: Connection): void {
  clearTimeout(connection.late?.timer)
  connection.late = undefined
}

/** Returns true if the connection has an unanswered request before the one with this number. */
function isBehind({ isBusy, started }: Connection, number: number): boolean {
  return isBusy && started < number
}

function hasArrived(connection: Connection, number: number): boolean {
  return connection.taken > number || (connection.taken === number && !isIncomplete(connection))
}

/** Returns true if a part of the body of the last request is missing. */
function isIncomplete({ latest }: Connection): boolean {
  return latest?.complete === false
}
