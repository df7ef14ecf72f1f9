import type { Log } from '@smsgw/daemon/log'
import { databaseServer, type StoreDeps } from './open-store.ts'
import { waitForDatabase } from './wait-for-database.ts'

/** Waits until the database answers, then runs the work. The database may have any content. */
export async function withDatabase<T>(
  config: StoreDeps['config'],
  log: Log,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = await databaseServer(config, log)
  try {
    const waitMs = config.DATABASE_WAIT_SECONDS * 1000
    await waitForDatabase(server.url, { waitMs, report: (line) => log.warn(line) })
    return await work(server.url)
  } finally {
    await server.stop()
  }
}
