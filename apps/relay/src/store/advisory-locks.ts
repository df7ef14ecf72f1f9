import { Client } from 'pg'

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
  let opening: Promise<Client> | undefined

  function connection(): Promise<Client> {
    opening ??= open()
    return opening
  }

  async function open(): Promise<Client> {
    const client = new Client({
      connectionString: url,
      application_name: 'smsgw periodic work',
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
    })
    client.on('error', forget)
    try {
      await client.connect()
    } catch (error) {
      forget()
      throw error
    }
    return client
  }

  function forget(): void {
    opening = undefined
  }

  async function ask(client: Client, sql: string, name: string): Promise<boolean> {
    try {
      const { rows } = await client.query<{ answer: boolean }>(sql, [LOCK_CLASS, name])
      return rows[0]?.answer ?? false
    } catch (error) {
      // Whatever went wrong: with the connection go its locks, and nothing is held that nobody knows of.
      forget()
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
      const client = await opening?.catch(() => undefined)
      await client?.end()
    },
  }
}
