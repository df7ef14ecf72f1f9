import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { readDatabaseAddress } from './database-address.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'

/**
 * Returns the class of clients for this URL. If the URL names several servers, or requires a server that accepts writes,
 * the clients look for the server that accepts writes and share the result.
 */
export function clientClass(url: string): typeof Client {
  const { urls, needsWrites } = readDatabaseAddress(url)
  return needsWrites || urls.length > 1 ? withServers(serversOf(url)) : Client
}

/**
 * Creates a client for a URL that may name several servers. If its connection is lost, its running or next query fails; without the
 * listener, the loss would also end the process.
 */
export function databaseClient({ url, ...config }: ClientConfig & { readonly url: string }): Client {
  const Class = clientClass(url)
  return new Class({ ...config, connectionString: firstUrl(url) }).on('error', () => undefined)
}

/**
 * Options of connections outside the pool. A role that uses a pooler has time limits for statements, which migrations and backups
 * exceed.
 */
export const NO_TIMEOUTS = '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0'

/** The URL with the first server, from which the driver reads user, password, database and TLS. */
export function firstUrl(url: string): string {
  return readDatabaseAddress(url).urls[0] ?? url
}

function serversOf(url: string): DatabaseServers {
  const existing = known.get(url)
  if (existing !== undefined) return existing
  const servers = new DatabaseServers(url)
  known.set(url, servers)
  return servers
}

const known = new Map<string, DatabaseServers>()

/** The driver's class with the fields that select a server before the connection is opened. */
type Connecting = Client & { host: string; port: number; readonly connection: { readonly stream: Socket } }

function withServers(servers: DatabaseServers): typeof Client {
  return class extends Client {
    override connect(): Promise<this>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      const connected = this.#connect()
      if (callback === undefined) return connected
      connected.then(() => callback(null as never), callback)
      return undefined
    }

    async #connect(): Promise<this> {
      const client = this as unknown as Connecting
      const { host, port } = await servers.find()
      Object.assign(client, { host, port })
      servers.add(client)
      await super.connect()
      return this
    }
  }
}

interface Server {
  readonly url: string
  readonly host: string
  readonly port: number
}

/**
 * Finds the server to use, by asking all servers at the same time. The present server is kept while it can be used.
 * Otherwise, the first usable server of the list is chosen, even if another server answers earlier. If the server must
 * accept writes, connections to a previous server are closed, because a server that was cut off does not close them
 * itself.
 */
class DatabaseServers {
  readonly #servers: readonly Server[]
  readonly #needsWrites: boolean
  readonly #clients = new Set<Connecting>()
  #present: Server | undefined
  #search: Promise<Server> | undefined

  constructor(url: string) {
    const { urls, needsWrites } = readDatabaseAddress(url)
    this.#needsWrites = needsWrites
    this.#servers = urls.map((one) => {
      const { host, port } = new Client({ connectionString: one })
      return { url: one, host, port }
    })
  }

  /** Connections that are opened at the same time share one search. */
  find(): Promise<Server> {
    this.#search ??= this.#ask().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  add(client: Connecting): void {
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
  }

  async #ask(): Promise<Server> {
    const answers = this.#servers.map((server) => ({ server, problem: problemOf(server.url, this.#needsWrites) }))
    const isPresent = ({ server }: { readonly server: Server }) => server === this.#present
    const inOrder = [...answers.filter(isPresent), ...answers.filter((answer) => !isPresent(answer))]
    for (const { server, problem } of inOrder) if ((await problem) === undefined) return this.#use(server)
    throw this.#unavailable(await Promise.all(answers.map(({ problem }) => problem)))
  }

  #use(server: Server): Server {
    this.#present = server
    if (!this.#needsWrites) return server
    for (const client of this.#clients)
      if (client.host !== server.host || client.port !== server.port)
        client.connection.stream.destroy(new ServerReplaced(`${client.host}:${client.port}`))
    return server
  }

  /**
   * Returns the most helpful error: an error that a retry does not resolve, for example a wrong password, is more
   * helpful than other errors.
   */
  #unavailable(errors: readonly unknown[]): unknown {
    const lasting = errors.find((error) => !isDatabaseUnavailable(error))
    if (lasting !== undefined) return lasting
    const texts = errors.map(
      (error, at) => `${this.#servers[at]?.host}:${this.#servers[at]?.port}: ${messageOf(error)}`,
    )
    return new NoServer(texts.join('; '), { cause: errors[0] })
  }
}

/** Returns why the server cannot be used now, or undefined. The answer comes within the time limits of `probe`. */
async function problemOf(url: string, needsWrites: boolean): Promise<unknown> {
  return await probe(url, needsWrites).then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** Throws if the server cannot be used now. */
async function probe(url: string, needsWrites: boolean): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'smsgw server search',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  })
  client.on('error', () => undefined) // connect or the query reports the error
  try {
    await client.connect()
    if (!needsWrites) return
    const sql = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly"`
    const { rows } = await client.query<{ isReadOnly: boolean }>(sql)
    if (rows[0]?.isReadOnly) throw new ReadOnlyServer('the server accepts no writes')
  } finally {
    client.end().catch(() => undefined)
  }
}

const PROBE_MS = 2_000

/** The errors of these classes have codes that `isDatabaseUnavailable` recognises. */
class ReadOnlyServer extends Error {
  readonly code = '25006'
}

class NoServer extends Error {
  readonly code = 'ECONNREFUSED'
}

class ServerReplaced extends Error {
  readonly code = 'ECONNRESET'

  constructor(server: string) {
    super(`${server} no longer accepts writes, and another server does`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
