import { PrismaPg } from '@prisma/adapter-pg'
import { Pool } from 'pg'
import { type Prisma, PrismaClient } from './generated/client.ts'
import { impatientSocket } from './impatient-socket.ts'

/** The client, or one inside a transaction: what statements are given. */
export type Statements = Prisma.TransactionClient
export type Database = PrismaClient

export interface DatabaseOptions {
  readonly url: string
  /** Connections of this process. */
  readonly connections: number
  /** Above the longest that the server lets a statement take. */
  readonly silenceMs?: number
}

/** Connects when it is first asked, and again after every loss. */
export function openDatabase({ url, connections, silenceMs = 40_000 }: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    application_name: 'smsgw relay',
    // Also the longest wait for a free connection: whoever waited so long is better told to come back.
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    stream: () => impatientSocket(silenceMs),
    // A replica that is stopped in the middle of a transaction holds nobody for longer than this.
    idle_in_transaction_session_timeout: 10_000,
    lock_timeout: 5_000,
    statement_timeout: 30_000,
    // The adapter sends and reads times without their zone: whatever the server's own is, this session's is UTC. And a
    // commit is on the disk before anybody is told of it.
    options: '-c timezone=UTC -c synchronous_commit=on',
  })
  const adapter = new PrismaPg(pool, { statementNameGenerator: statementName, disposeExternalPool: true })
  // The other formats of an error quote the values of the query.
  return new PrismaClient({ adapter, errorFormat: 'minimal' })
}

/** Enough for every statement of the relay; one that is put together anew each time must not fill the server's memory. */
const MOST_NAMES = 500

/** Named statements are planned once for each connection; one without a name is planned each time. */
function statementName({ sql }: { sql: string }): string {
  const known = names.get(sql)
  if (known !== undefined) return known
  if (names.size >= MOST_NAMES) return ''
  const name = `s${names.size}`
  names.set(sql, name)
  return name
}

const names = new Map<string, string>()
