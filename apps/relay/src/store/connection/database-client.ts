import { Client, type ClientConfig } from 'pg'
import { readDatabaseAddress } from './database-address.ts'
import { type Connecting, DatabaseServers } from './database-servers.ts'

/**
 * Returns the class of clients for this URL. If the URL names several servers, or requires a server that accepts
 * writes, the clients look for the server that accepts writes and share the result.
 */
export function clientClass(url: string): typeof Client {
  const { urls, needsWrites } = readDatabaseAddress(url)
  return needsWrites || urls.length > 1 ? withServers(serversOf(url)) : Client
}

/**
 * Creates a client for a URL that may name several servers. If its connection is lost, its running or next query fails;
 * without the listener, the loss would also end the process.
 */
export function databaseClient({ url, ...config }: ClientConfig & { readonly url: string }): Client {
  const Class = clientClass(url)
  return new Class({ ...config, connectionString: firstUrl(url) }).on('error', () => undefined)
}

/**
 * Options of connections outside the pool. A role that uses a pooler has time limits for statements, which migrations
 * and backups exceed.
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
