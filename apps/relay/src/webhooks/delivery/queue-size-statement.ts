import type { Database } from '../../store/database.ts'

/** Beyond that the number says nothing more, and a scrape is not to read a million rows of the index for it. */
export const MOST_COUNTED = 100_000

export async function queueSize(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count
    FROM (SELECT FROM webhook_deliveries WHERE state = 'waiting' LIMIT ${MOST_COUNTED}) AS waiting`
  return row.count
}
