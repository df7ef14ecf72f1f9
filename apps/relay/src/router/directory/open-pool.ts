import { Pool, type PoolClient } from 'pg'
import { clientClass, firstUrl } from '../../store/connection/database-client.ts'
import { silenceLimitedSocket } from '../../store/database.ts'

export interface PoolOptions {
  readonly url: string
  readonly connections: number
  /** The name that `pg_stat_activity` shows. */
  readonly name: string
  readonly statementTimeoutMs: number
}

/** Opens a pool for short statements. It connects at the first query, and again after each lost connection. */
export function openPool({ url, connections, name, statementTimeoutMs }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: firstUrl(url),
    Client: clientClass(url),
    max: connections,
    application_name: name,
    connectionTimeoutMillis: Math.min(5_000, statementTimeoutMs),
    keepAlive: true,
    stream: silenceLimitedSocket,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
    options: '-c timezone=UTC -c synchronous_commit=on',
  })
  // The next query opens another connection. Without a listener, a lost idle connection would end the process.
  pool.on('error', () => undefined)
  return pool
}

/** Runs the work in one transaction. */
export async function runTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.release(isBroken)
  }
}
