import type { Database } from '../store/database.ts'

/** Waits until `count` transactions are blocked by locks. With this wait, a race can be reproduced. */
export async function someoneWaits(database: Database, count = 1): Promise<void> {
  for (;;) {
    const [waiting] = await database.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    if (waiting !== undefined && waiting.count >= count) return
  }
}
