import { Client } from 'pg'
import { oneAtATime } from './one-at-a-time.ts'

/** The first half of each lock's name, so that nobody else's advisory locks are ours. */
const LOCK_CLASS = 1_936_554_599

export interface AdvisoryLocks {
  /** Does the work while no other session holds the lock of that name; does nothing when one does. */
  during(name: string, work: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

/**
 * Locks of this process, all on one connection of their own: a replica that is killed or cut off gives them up with it.
 * The same name must not be asked for twice at once: a session is never in its own way.
 */
export function advisoryLocks(url: string): AdvisoryLocks {
  let current: { readonly client: Client; readonly ready: Promise<unknown> } | undefined
  const alone = oneAtATime()

  async function connection(): Promise<Client> {
    current ??= open()
    const { client, ready } = current
    await ready
    return client
  }

  function open() {
    const client = new Client({
      connectionString: url,
      application_name: 'smsgw periodic work',
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
      // The server notices within a minute that we are cut off, and not in two hours.
      options: '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3',
    })
    client.on('error', () => forget(client))
    const ready = client.connect().catch((error) => {
      forget(client)
      throw error
    })
    return { client, ready }
  }

  /** Its end may be told late, when another has taken its place. */
  function forget(client: Client): void {
    if (current?.client === client) current = undefined
  }

  async function ask(client: Client, sql: string, name: string): Promise<boolean> {
    try {
      const { rows } = await alone(() => client.query<{ answer: boolean }>(sql, [LOCK_CLASS, name]))
      return rows[0]?.answer ?? false
    } catch (error) {
      // Whatever went wrong: with the connection go its locks, and nothing is held that nobody knows of.
      forget(client)
      void client.end().catch(() => undefined)
      throw error
    }
  }

  return {
    async during(name, work) {
      const client = await connection()
      if (!(await ask(client, 'SELECT pg_try_advisory_lock($1, hashtext($2)) AS answer', name))) return
      try {
        await work()
      } finally {
        await ask(client, 'SELECT pg_advisory_unlock($1, hashtext($2)) AS answer', name)
      }
    },
    async close() {
      const client = await connectionIfAny()
      await client?.end()
    },
  }

  async function connectionIfAny(): Promise<Client | undefined> {
    try {
      return current && (await connection())
    } catch {
      return undefined // it never came to be
    }
  }
}
