import type { Socket } from 'node:net'
import { Client } from 'pg'
import { readDatabaseAddress } from './database-address.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'

interface Server {
  readonly url: string
  readonly host: string
  readonly port: number
}

/**
 * Extends the driver's class. `host` and `port` select the server before the connection is opened; `_activeQuery` is
 * the running query.
 */
export type Connecting = Client & {
  host: string
  port: number
  readonly connection: { readonly stream: Socket }
  readonly _activeQuery: object | null
}

/**
 * Finds the server to use, by asking all servers at the same time. The present server is kept while it can be used.
 * Otherwise the server with the newest timeline is chosen, because each promotion of a standby begins a new timeline.
 * Among equal servers, the order of the list decides, not the time of the answer. When the server must accept writes,
 * connections to the previous server are closed, because a server that was cut off does not close them itself.
 *
 * A server that was replaced may still claim to accept writes, although its commits never end, because no standby
 * confirms them. So if a query has had no answer for `STALL_MS`, the server with the newest timeline is used.
 */
export class DatabaseServers {
  readonly #servers: readonly Server[]
  readonly #needsWrites: boolean
  readonly #ask: typeof probe
  readonly #clients = new Set<Connecting>()
  #present: Server | undefined
  #newestTimeline = 0
  #search: Promise<Server> | undefined
  #watching: NodeJS.Timeout | undefined

  constructor(url: string, ask = probe) {
    const { urls, needsWrites } = readDatabaseAddress(url)
    this.#needsWrites = needsWrites
    this.#ask = ask
    this.#servers = urls.map((one) => {
      const { host, port } = new Client({ connectionString: one })
      return { url: one, host, port }
    })
  }

  /** Connections that are opened at the same time share one search. */
  find(): Promise<Server> {
    this.#search ??= this.#choose().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  add(client: Connecting): void {
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
    if (this.#needsWrites && this.#servers.length > 1) this.#watch()
  }

  async #choose(): Promise<Server> {
    const answers = this.#servers.map((server) => this.#probe(server))
    // The present server is kept without waiting for the others.
    const present = this.#present && (await answers[this.#servers.indexOf(this.#present)])
    if (present !== undefined && this.#isUsable(present)) return this.#use(present)
    return this.#useBest(await Promise.all(answers))
  }

  async #probe(server: Server): Promise<ProbedServer> {
    return { server, ...(await this.#ask(server.url, this.#needsWrites)) }
  }

  /**
   * A server on an older timeline has been replaced. The timeline is compared only when an answer is used, because
   * another search may have found a newer timeline in the meantime.
   */
  #isUsable({ problem, timeline }: ProbedServer): boolean {
    return problem === undefined && timeline >= this.#newestTimeline
  }

  /**
   * Uses the server with the newest timeline. If several servers have this timeline, keeps the present server if it is
   * one of them, otherwise uses the first server of the list.
   */
  #useBest(answers: readonly ProbedServer[]): Server {
    const usable = answers.filter((answer) => this.#isUsable(answer))
    const newest = Math.max(...usable.map(({ timeline }) => timeline))
    const best = usable.filter(({ timeline }) => timeline === newest)
    const chosen = best.find(({ server }) => server === this.#present) ?? best[0]
    if (chosen === undefined) throw this.#unavailable(answers)
    return this.#use(chosen)
  }

  /** As long as there are connections, checks regularly whether a query has had no answer. */
  #watch(): void {
    if (this.#watching !== undefined) return
    let silent = new Map<Connecting, Silence>()
    let isAsking = false
    this.#watching = setInterval(async () => {
      if (this.#clients.size === 0) return this.#endWatch()
      silent = silences(this.#clients, silent)
      const isStalled = [...silent.values()].some(({ checks }) => checks * CHECK_MS >= STALL_MS)
      if (!isStalled || isAsking) return
      isAsking = true
      const answers = await Promise.all(this.#servers.map((server) => this.#probe(server)))
      if (answers.some((answer) => this.#isUsable(answer))) this.#useBest(answers)
      isAsking = false
    }, CHECK_MS).unref()
  }

  #endWatch(): void {
    clearInterval(this.#watching)
    this.#watching = undefined
  }

  #use({ server, timeline }: ProbedServer): Server {
    this.#present = server
    this.#newestTimeline = timeline
    if (!this.#needsWrites) return server
    for (const client of this.#clients)
      if (client.host !== server.host || client.port !== server.port)
        client.connection.stream.destroy(new ServerReplaced(`${client.host}:${client.port}`))
    return server
  }

  /**
   * Returns the most helpful error. An error that does not go away by waiting, such as a wrong password, comes first.
   */
  #unavailable(answers: readonly ProbedServer[]): unknown {
    const errors = answers.map(({ problem, timeline }) => problem ?? new OldTimeline(timeline, this.#newestTimeline))
    const lasting = errors.find((error) => !isDatabaseUnavailable(error))
    if (lasting !== undefined) return lasting
    const texts = errors.map(
      (error, at) => `${this.#servers[at]?.host}:${this.#servers[at]?.port}: ${messageOf(error)}`,
    )
    return new NoServer(texts.join('; '), { cause: errors[0] })
  }
}

interface Silence {
  /** The octets that the connection has read and written. */
  readonly octets: string
  /** How many checks in a row have seen the same octets. */
  readonly checks: number
}

/** Returns the connections that wait for the result of a query. */
function silences(
  clients: ReadonlySet<Connecting>,
  before: ReadonlyMap<Connecting, Silence>,
): Map<Connecting, Silence> {
  const waiting = [...clients].filter(({ _activeQuery: query }) => query !== null)
  return new Map(
    waiting.map((client) => {
      const { bytesRead, bytesWritten } = client.connection.stream
      const octets = `${bytesRead} ${bytesWritten}`
      const last = before.get(client)
      return [client, { octets, checks: last?.octets === octets ? last.checks + 1 : 0 }]
    }),
  )
}

interface ProbeAnswer {
  /** Why the server cannot be used now. */
  readonly problem?: unknown
  /** The number of promotions before the present state of the server; 0 if the server need not accept writes. */
  readonly timeline: number
}

interface ProbedServer extends ProbeAnswer {
  readonly server: Server
}

/** Finds out within the time limits of `PROBE_MS` whether the server can be used now. */
async function probe(url: string, needsWrites: boolean): Promise<ProbeAnswer> {
  const client = new Client({
    connectionString: url,
    application_name: 'smsgw server search',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  })
  client.on('error', () => undefined) // reported by connect or by the query
  try {
    await client.connect()
    if (!needsWrites) return { timeline: 0 }
    const { rows } = await client.query<{ timeline: string | null }>(WRITABLE_TIMELINE)
    const timeline = rows[0]?.timeline
    return timeline ? { timeline: Number.parseInt(timeline, 16) } : { problem: new ReadOnlyServer(), timeline: 0 }
  } catch (problem) {
    return { problem, timeline: 0 }
  } finally {
    client.end().catch(() => undefined)
  }
}

/** The timeline is the first part of the name of a log file. Null if the server accepts no writes. */
const WRITABLE_TIMELINE = `SELECT CASE
  WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN NULL
  ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`

const PROBE_MS = 2_000
const CHECK_MS = 1_000
const STALL_MS = 3_000

/** These errors have codes that `isDatabaseUnavailable` knows. */
class ReadOnlyServer extends Error {
  readonly code = '25006'

  constructor() {
    super('the server accepts no writes')
  }
}

class OldTimeline extends Error {
  readonly code = 'ECONNREFUSED'

  constructor(timeline: number, newest: number) {
    super(
      `this server is on timeline ${timeline}, but the relay has already used a server on the newer timeline ${newest}, so this server has been replaced. If the database was restored from an older backup, restart the relay`,
    )
  }
}

class NoServer extends Error {
  readonly code = 'ECONNREFUSED'
}

class ServerReplaced extends Error {
  readonly code = 'ECONNRESET'

  constructor(server: string) {
    super(`${server} no longer accepts writes, but another server accepts them`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
