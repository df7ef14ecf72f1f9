import type { Database } from '../store/database.ts'

/**
 * Counts recipients with an unknown outcome. Reads the index of unfinished recipients, however long the history. Takes
 * no locks.
 */
export async function countInDoubt(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM recipients
    WHERE state IN ('Pending', 'Cancelling', 'Processed') AND error_code = 'outcome_unknown'`
  return row.count
}
