import { isDatabaseAway } from '../store/database-away.ts'

/** Not a number while the database is away: the rest of the metrics is wanted all the more. */
export async function unlessAway(ask: () => Promise<number>): Promise<number> {
  try {
    return await ask()
  } catch (error) {
    if (isDatabaseAway(error)) return Number.NaN
    throw error
  }
}
