import { ReconnectingClient } from './reconnecting-client.ts'

/** The first key of all our advisory locks, so that they differ from those of other programs. */
const LOCK_CLASS = 1_936_554_599

export interface AdvisoryLocks {
  /** Runs the work while no other session holds the lock of that name; returns at once when one does. */
  during(name: string, work: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

/**
 * Locks of this process, all on one connection of their own: a replica that is killed or cut off loses them with it. The
 * same name must not be locked twice at once, because a session never blocks itself.
 */
export function advisoryLocks(url: string): AdvisoryLocks {
  const client = new ReconnectingClient({ url, name: 'smsgw periodic work' })
  const ask = async (sql: string, name: string) =>
    (await client.query<{ answer: boolean }>(sql, [LOCK_CLASS, name]))[0]?.answer ?? false
  return {
    async during(name, work) {
      if (!(await ask('SELECT pg_try_advisory_lock($1, hashtext($2)) AS answer', name))) return
      try {
        await work()
      } finally {
        // After a reconnect this session has no such lock, and the query changes nothing.
        await ask('SELECT pg_advisory_unlock($1, hashtext($2)) AS answer', name)
      }
    },
    close: () => client.close(),
  }
}
