import { createHash } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Client, type ClientConfig, type DatabaseError, Pool } from 'pg'
import { clientClass, firstUrl } from './connection/database-client.ts'
import { DISK_FULL } from './connection/database-unavailable.ts'
import { type Prisma, PrismaClient } from './generated/client.ts'
import { sendOctets } from './octet-parameters.ts'
import { allowRaw, type RawDatabase, type RawPool, rawDatabase } from './raw-statements.ts'

/** The Prisma client or a transaction of it. */
export type Statements = Prisma.TransactionClient
export type Database = PrismaClient

export interface DatabaseOptions {
  readonly url: string
  /** Size of the pool. */
  readonly connections: number
  /**
   * True if `url` is a pooler in transaction mode. A pooler refuses startup parameters and named statements, so the
   * settings below must be settings of the database role (`checkPooledSession`).
   */
  readonly isPooled?: boolean
  /** True for a read replica. Its statements cannot write, and have a shorter time limit. */
  readonly isReplica?: boolean
  /** Makes the socket of each connection. */
  readonly socket?: () => Socket
  /** Called with the message of the server if its disk is full. */
  readonly onDiskFull?: ((message: string) => void) | undefined
  /** The longest wait for a free connection, and the longest transaction, both in milliseconds. */
  readonly transactionLimits?: { readonly maxWait: number; readonly timeout: number }
}

/** Opens a client that connects at the first query and again after each lost connection. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { pool, nameOf } = openPool(options)
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameOf, disposeExternalPool: true })
  // The minimal error format, because other formats contain the values of the query.
  const database = new PrismaClient({
    adapter,
    errorFormat: 'minimal',
    transactionOptions: options.transactionLimits ?? TRANSACTION_LIMITS,
  })
  allowRaw(database, { pool, nameOf })
  return database
}

/** Opens a client for raw statements only. A Prisma client allocates 14 MB when it is made. */
export function connectRawDatabase(options: DatabaseOptions): RawDatabase {
  return rawDatabase(openPool(options))
}

function openPool({
  url,
  connections,
  isPooled = false,
  isReplica = false,
  socket = silenceLimitedSocket,
  onDiskFull,
  transactionLimits = TRANSACTION_LIMITS,
}: DatabaseOptions): Pick<RawPool, 'pool' | 'nameOf'> {
  const pool = new Pool({
    connectionString: firstUrl(url),
    Client: withIdleSockets(clientClass(url)),
    max: connections,
    // Opening a connection, and planning each statement on it for the first time, takes longer than the statements of
    // a message. So an idle relay keeps some connections.
    min: Math.min(connections, KEPT_CONNECTIONS),
    application_name: 'smsgw relay',
    // This is also the longest wait for a free connection. A request that waits longer is answered with 503.
    connectionTimeoutMillis: transactionLimits.maxWait,
    // Lets the operating system find dead connections among those that the pool keeps.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    stream: socket,
    // Statements of one transaction may be sent without waiting for each other (see `together`).
    pipeline: true,
    ...(!isPooled && {
      // A relay that stops responding during a transaction keeps its locks for at most this time.
      idle_in_transaction_session_timeout: 10_000,
      lock_timeout: 5_000,
      statement_timeout: isReplica ? REPLICA_STATEMENT_MS : 30_000,
      // The adapter sends and reads times without a zone, so the session must use UTC. A commit must be on disk before
      // it is acknowledged.
      options: `-c timezone=UTC -c synchronous_commit=on${isReplica ? ' -c default_transaction_read_only=on' : ''}`,
    }),
  })
  pool.on('connect', sendOctets)
  pool.on('acquire', (client) => markIdle(client, false))
  pool.on('release', (error, client) => markIdle(client, !error))
  if (onDiskFull !== undefined) pool.on('connect', (client) => reportFullDisk(client, onDiskFull))
  return { pool, nameOf: isPooled ? () => '' : statementNames() }
}

/** Listens to all errors of the server, because any statement may fail because of a full disk. */
function reportFullDisk(client: Client, onDiskFull: (message: string) => void): void {
  const { connection } = client as Client & { readonly connection: EventEmitter }
  connection.on('errorMessage', ({ code, message }: DatabaseError) => {
    if (code === DISK_FULL) onDiskFull(message)
  })
}

/**
 * Prisma's limits for a transaction of several statements. `maxWait` limits the wait for a connection, and is the same
 * as for a single statement. `timeout` limits the whole transaction. With Prisma's defaults of 2 s and 5 s, a busy
 * relay would answer 503 although the database works.
 */
const TRANSACTION_LIMITS = { maxWait: 5_000, timeout: 20_000 }

/** The longest statement on a read replica, in milliseconds. After that, the primary reads the same data. */
export const REPLICA_STATEMENT_MS = 5_000

/** As many connections as a message needs at the same time. */
const KEPT_CONNECTIONS = 4

/** How long a connection may be silent. Longer than the statement timeout of the server. */
const SILENCE_MS = 40_000

/** After this time without traffic, the operating system checks the connection. */
const KEEP_ALIVE_MS = 30_000

/**
 * Returns the socket of a database connection. The socket fails after 40 s without traffic, unless the connection is
 * idle in the pool. The server ends every statement earlier, so such a silence means that the connection is dead
 * although no error was reported, for example because a cable was cut or a firewall dropped its state. Without this
 * limit, TCP would keep the request waiting for a quarter of an hour.
 */
export function silenceLimitedSocket(): Socket {
  return limitedSocket(SILENCE_MS)
}

/** Returns a socket that fails after this time without traffic, for connections with longer statements. */
export function limitedSocket(silenceMs: number): Socket {
  const socket = new Socket()
  // The next traffic restarts the limit.
  socket.on('timeout', () => idle.has(socket) || socket.destroy(new DatabaseSilent(silenceMs)))
  // Starts the limit with the connection. A socket that was never connected has no error listener, so its error would
  // end the process.
  socket.once('connect', () => socket.setTimeout(silenceMs))
  return socket
}

/** The sockets of connections that are idle in a pool. */
const idle = new WeakSet<Socket>()
/** With TLS, the connection later uses another stream, which encrypts and uses this socket. */
const sockets = new WeakMap<Client, Socket>()

/** Returns a class of clients whose sockets may be marked as idle. A client that is being closed is not idle. */
function withIdleSockets(Base: typeof Client): typeof Client {
  return class extends Base {
    constructor(config?: string | ClientConfig) {
      super(config)
      sockets.set(this, (this as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream)
    }

    override end(): Promise<void>
    override end(callback: (error: Error) => void): void
    override end(callback?: (error: Error) => void): Promise<void> | void {
      markIdle(this, false)
      return callback === undefined ? super.end() : super.end(callback)
    }
  }
}

function markIdle(client: Client, isIdle: boolean): void {
  const socket = sockets.get(client)
  if (socket === undefined) return
  if (isIdle) idle.add(socket)
  else idle.delete(socket)
}

class DatabaseSilent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(silenceMs: number) {
    super(`no traffic on the database connection for ${silenceMs / 1000} s`)
  }
}

/**
 * The largest number of named statements of a client. It is sufficient for all statements of the relay, and prevents
 * dynamically built statements from filling the memory of the server.
 */
const MAX_NAMES = 500

/**
 * Returns a function that names statements, so that PostgreSQL plans each only once per connection. A statement without
 * a name is planned at each use. The name is a hash of the text, so that two processes never use one name for different
 * statements. Two processes share sessions if `DATABASE_URL` is a pooler and `DATABASE_DIRECT_URL` is not set.
 */
function statementNames(): (statement: { readonly sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const existing = names.get(sql)
    if (existing !== undefined) return existing
    if (names.size >= MAX_NAMES) return ''
    const name = `s${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    names.set(sql, name)
    return name
  }
}
