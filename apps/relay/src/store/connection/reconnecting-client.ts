import type { Client } from 'pg'
import { databaseClient, NO_TIMEOUTS } from './database-client.ts'

export interface ReconnectingClientOptions {
  readonly url: string
  /** The name of the connection, which `pg_stat_activity` shows as `application_name`. */
  readonly name: string
  /**
   * Prepares a new connection, for example with LISTEN or a lock. If this fails, the connection is closed and a new one
   * is opened.
   */
  readonly prepare?: (client: Client) => Promise<unknown>
  /** Called when a connection is prepared. */
  readonly onConnected?: () => void
  /** Called once per outage, with the error of the first failure. */
  readonly onLost?: (error: unknown) => void
  /** Receives the payload of each notification on a channel that `prepare` listens on. */
  readonly onNotification?: (payload: string) => void
}

/**
 * One PostgreSQL connection outside the pool, for LISTEN and advisory locks, which end with their connection.
 *
 * The client is connecting, connected, waiting for the next attempt, or closed. A query every few seconds detects a
 * dead connection that reports no error. All queries run one after the other, each with a timeout.
 */
export class ReconnectingClient {
  readonly #options: ReconnectingClientOptions
  #client: Client | undefined
  #connecting: Promise<void>
  #lastQuery: Promise<unknown> = Promise.resolve()
  #lastError: unknown
  #isOutage = false
  #isClosed = false
  #pauseMs = FIRST_PAUSE_MS
  #retryTimer: NodeJS.Timeout | undefined
  #healthTimer: NodeJS.Timeout | undefined

  constructor(options: ReconnectingClientOptions) {
    this.#options = options
    this.#connecting = this.#connect()
  }

  /** Runs a query on the present connection and returns the rows. Fails while there is no connection. */
  async query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    await this.#connecting
    const result = this.#lastQuery.then(() => this.#run<Row>(sql, values))
    this.#lastQuery = result.catch(() => undefined)
    return await result
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retryTimer)
    clearInterval(this.#healthTimer)
    await this.#connecting
    await this.#client?.end()
  }

  async #connect(): Promise<void> {
    const { url, name, prepare, onConnected, onNotification } = this.#options
    const client = databaseClient({
      url,
      application_name: name,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
      // With these settings, the server detects within a minute, instead of two hours, that this process was cut off.
      options: `${NO_TIMEOUTS} -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3`,
    })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, undefined))
    client.on('notification', ({ payload }) => onNotification?.(payload ?? ''))
    this.#client = client
    try {
      await client.connect()
      await prepare?.(client)
    } catch (error) {
      return this.#lose(client, error)
    }
    if (this.#client !== client || this.#isClosed) return
    this.#isOutage = false
    this.#pauseMs = FIRST_PAUSE_MS
    this.#healthTimer = setInterval(() => void this.query('SELECT 1').catch(() => undefined), HEALTH_MS).unref()
    onConnected?.()
  }

  async #run<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const client = this.#client
    if (client === undefined || this.#isClosed) throw new Error('Connection terminated', { cause: this.#lastError })
    try {
      return (await client.query<Row>(sql, [...values])).rows
    } catch (error) {
      // Reconnects even after a timeout, because the state of the old connection is unknown.
      this.#lose(client, error)
      throw error
    }
  }

  #lose(client: Client, error: unknown): void {
    if (client !== this.#client || this.#isClosed) return
    this.#client = undefined
    this.#lastError = error
    clearInterval(this.#healthTimer)
    // Does not wait for the end, because a dead connection may never end.
    client.end().catch(() => undefined)
    this.#retryTimer = setTimeout(() => {
      this.#connecting = this.#connect()
    }, this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
    if (this.#isOutage) return
    this.#isOutage = true
    this.#options.onLost?.(error)
  }
}

const HEALTH_MS = 5_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2_000
