import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'

/**
 * Drops the families of which no token is valid any more; what expires of a family that lives is dropped when it is
 * refreshed. Of all accounts: to be called every hour or so, by one replica.
 */
export async function deleteExpiredTokens({
  database,
  clock,
}: {
  readonly database: Database
  readonly clock: Clock
}): Promise<void> {
  await database.tokenFamily.deleteMany({ where: { expiresAt: { lt: clock.now() } } })
}
