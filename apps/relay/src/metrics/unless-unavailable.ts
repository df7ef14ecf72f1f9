import { isDatabaseUnavailable } from '../store/connection/database-unavailable.ts'

/**
 * Returns the result of a query, or another value while the database is unavailable, so that the other metrics are
 * still served.
 */
export async function unlessUnavailable<Result, Otherwise>(
  query: () => Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  try {
    return await query()
  } catch (error) {
    if (isDatabaseUnavailable(error)) return otherwise
    throw error
  }
}
