import type { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Client, type DatabaseError, Pool } from 'pg'
import { DISK_FULL } from './database-unavailable.ts'
import { type Prisma, PrismaClient } from './generated/client.ts'

/** The Prisma client or a transaction of it. */
export type Statements = Prisma.TransactionClient
export type Database = PrismaClient

export interface DatabaseOptions {
  readonly url: string
  /** Size of the pool. */
  readonly connections: number
  /** Must be longer than the server's statement timeout. */
  readonly silenceMs?: number
  /** Called when the server reports that its disk is full, with its message. */
  readonly onDiskFull?: ((message: string) => void) | undefined
}

/** Opens a client that connects at the first query and again after each lost connection. */
export function openDatabase({ url, connections, silenceMs = 40_000, onDiskFull }: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    application_name: 'smsgw relay',
    // Also the longest wait for a free connection; after that the request is answered with 503.
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    stream: () => impatientSocket(silenceMs),
    // A relay that is stopped within a transaction holds its locks for at most this time.
    idle_in_transaction_session_timeout: 10_000,
    lock_timeout: 5_000,
    statement_timeout: 30_000,
    // The adapter sends and reads times without a zone, so the session must use UTC. A commit must be on disk before it is
    // acknowledged.
    options: '-c timezone=UTC -c synchronous_commit=on',
  })
  if (onDiskFull !== undefined) pool.on('connect', (client) => reportFullDisk(client, onDiskFull))
  const adapter = new PrismaPg(pool, { statementNameGenerator: statementName, disposeExternalPool: true })
  // Other error formats quote the values of the query.
  return new PrismaClient({ adapter, errorFormat: 'minimal' })
}

/** Listens to all errors of the server, because any statement may be the one that finds the disk full. */
function reportFullDisk(client: Client, onDiskFull: (message: string) => void): void {
  const { connection } = client as Client & { readonly connection: EventEmitter }
  connection.on('errorMessage', ({ code, message }: DatabaseError) => {
    if (code === DISK_FULL) onDiskFull(message)
  })
}

/**
 * A database connection that fails after `silenceMs` without traffic. The server would have ended any statement by then, so
 * the connection is dead without an error (a cut cable, a firewall that dropped its state). TCP alone would keep the request
 * waiting for a quarter of an hour.
 */
function impatientSocket(silenceMs: number): Socket {
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

/** Enough for every statement of the relay. Dynamically built statements must not fill the server's memory. */
const MAX_NAMES = 500

/** PostgreSQL plans a named statement once per connection, and one without a name at each use. */
function statementName({ sql }: { sql: string }): string {
  const existing = names.get(sql)
  if (existing !== undefined) return existing
  if (names.size >= MAX_NAMES) return ''
  const name = `s${names.size}`
  names.set(sql, name)
  return name
}

const names = new Map<string, string>()
