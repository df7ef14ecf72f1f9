import type { Database } from '../store/database.ts'

/** Looks at what is unfinished, of which there is an index, however long the history. */
export async function countInDoubt(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM recipients
    WHERE state IN ('Pending', 'Cancelling', 'Processed') AND error_code = 'outcome_unknown'`
  return row.count
}
