import { isDatabaseUnavailable } from '../store/database-unavailable.ts'

/** Returns NaN while the database is unavailable, so that the other metrics are still served. */
export async function unlessUnavailable(ask: () => Promise<number>): Promise<number> {
  try {
    return await ask()
  } catch (error) {
    if (isDatabaseUnavailable(error)) return Number.NaN
    throw error
  }
}
