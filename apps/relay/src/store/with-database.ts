import type { Log } from '@smsgw/daemon/log'
import { databaseServer, type StoreNeeds } from './open-store.ts'
import { reachDatabase } from './reach-database.ts'

/** For one piece of work: a database that answers, whatever is in it. */
export async function withDatabase<T>(
  config: StoreNeeds['config'],
  log: Log,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = await databaseServer(config, log)
  try {
    const waitMs = config.DATABASE_WAIT_SECONDS * 1000
    await reachDatabase(server.url, { waitMs, report: (line) => log.warn(line) })
    return await work(server.url)
  } finally {
    await server.stop()
  }
}
