import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'

/**
 * Returns the result of a query, or NaN while the database is unavailable, so that the other metrics are still served.
 */
export async function unlessUnavailable(query: () => Promise<number>): Promise<number> {
  try {
    return await query()
  } catch (error) {
    if (isDatabaseUnavailable(error)) return Number.NaN
    throw error
  }
}
