import type { Database } from '../store/database.ts'

/** Until so many transactions wait for locks of others: what makes a race happen the same way each time. */
export async function someoneWaits(database: Database, count = 1): Promise<void> {
  for (;;) {
    const [waiting] = await database.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    if (waiting !== undefined && waiting.count >= count) return
  }
}
