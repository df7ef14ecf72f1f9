import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { databaseHostsAndPorts } from '../store/connection/database-address.ts'
import { databaseClient } from '../store/connection/database-client.ts'
import { connectDatabase, type Database, REPLICA_STATEMENT_MS } from '../store/database.ts'

export interface ReplicaOptions {
  /** The URL of one server. */
  readonly url: string
  /** Size of the pool. */
  readonly connections: number
  /** The id of the history of the primary. */
  readonly streamId: string
  /** Returns the present time of the primary, as far as it is known. */
  readonly primaryMs: () => number | undefined
  /** Called once for each outage, with the error of the first failure. */
  readonly onLost: (server: string, error: unknown) => void
  readonly onBack: (server: string) => void
}

/**
 * A standby of the database for reads.
 *
 * The replica is *away* until a check has succeeded, and again as soon as a check fails. Meanwhile it is not used, and
 * reads in progress are given up. While it is *present*, the last check tells how old its data is at most.
 */
export class Replica {
  /** The server for logs and metrics, without the password. */
  readonly server: string
  readonly database: Database
  readonly #options: ReplicaOptions
  readonly #stopping = new AbortController()
  readonly #checking: Promise<void>
  /** Functions that end the reads in progress with an error. */
  readonly #reads = new Set<(error: unknown) => void>()
  #client: Client | undefined
  /** The time up to which the replica has all changes; undefined while it is away. */
  #beatMs: number | undefined
  #isOutage = false

  constructor(options: ReplicaOptions) {
    const { url, connections } = options
    this.#options = options
    this.server = databaseHostsAndPorts(url).join()
    const transactionLimits = { maxWait: CONNECTION_WAIT_MS, timeout: REPLICA_STATEMENT_MS }
    this.database = connectDatabase({ url, connections, isReplica: true, transactionLimits })
    this.#checking = this.#check()
  }

  /** Returns how old the data of the replica is at most, in milliseconds. Undefined while this is unknown. */
  ageMs(): number | undefined {
    const now = this.#options.primaryMs()
    if (now === undefined || this.#beatMs === undefined) return undefined
    const ageMs = now - this.#beatMs
    // A time in the future was written before the clock of the primary was set back, or by another primary.
    return ageMs < -CLOCK_ERROR_MS ? undefined : Math.max(0, ageMs)
  }

  /** Fails when the replica is lost during the work, or does not finish it in time. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    // A promise for each read. If one promise for all reads were passed to `Promise.race`, it would keep the result of
    // each read in memory until the replica is lost.
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const late = setTimeout(
      () => reject(new Error(`no answer of the read replica within ${REPLICA_STATEMENT_MS / 1000} s`)),
      REPLICA_STATEMENT_MS,
    )
    this.#reads.add(reject)
    work().then(resolve, reject)
    try {
      return await promise
    } finally {
      clearTimeout(late)
      this.#reads.delete(reject)
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#checking
    // Does not wait for a server that has stopped answering.
    const ended = Promise.all([this.#client?.end().catch(() => undefined), this.database.$disconnect()])
    await Promise.race([ended, sleep(ANSWER_MS, undefined, { ref: false })])
  }

  async #check(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        this.#client ??= await this.#connect()
        const { rows } = await this.#client.query<{ ms: number | null; streamId: string }>(READ_BEAT)
        if (rows[0]?.streamId !== this.#options.streamId)
          throw new Error('DATABASE_REPLICA_URL names another database: use the address of a standby of DATABASE_URL')
        this.#beatMs = rows[0].ms ?? undefined
        if (this.#isOutage) this.#options.onBack(this.server)
        this.#isOutage = false
      } catch (error) {
        this.#lose(error)
      }
      await sleep(CHECK_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #connect(): Promise<Client> {
    const client = databaseClient({
      url: this.#options.url,
      application_name: 'smsgw replica check',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    })
    try {
      await client.connect()
      return client
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
  }

  #lose(error: unknown): void {
    // Does not wait for the end, because a dead connection may never end.
    this.#client?.end().catch(() => undefined)
    this.#client = undefined
    this.#beatMs = undefined
    for (const reject of this.#reads) reject(error)
    if (this.#isOutage) return
    this.#isOutage = true
    this.#options.onLost(this.server, error)
  }
}

const READ_BEAT = `
  SELECT (extract(epoch FROM replica_beat_at) * 1000)::float8 AS ms, stream_id AS "streamId"
  FROM installation WHERE id = 1`
const CHECK_MS = 500
/** A server that needs longer for the check counts as away. */
const ANSWER_MS = 1_000
/** The clock of this process and the clock of the primary may run at different speeds. */
const CLOCK_ERROR_MS = 100
/** The longest wait for a free connection. After that, the primary reads the same data. */
const CONNECTION_WAIT_MS = 1_000
