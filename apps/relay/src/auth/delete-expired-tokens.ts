import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'

/** Deletes token families without a valid token, of all accounts. Expired tokens of other families go when those are refreshed. */
export async function deleteExpiredTokens({
  database,
  clock,
}: {
  readonly database: Database
  readonly clock: Clock
}): Promise<void> {
  await database.tokenFamily.deleteMany({ where: { expiresAt: { lt: clock.now() } } })
}
