import type { Clock } from '../../clock.ts'
import type { Statements } from '../../store/database.ts'

/**
 * Deletes sessions that have expired or whose password was changed. The statement does not wait for a concurrent
 * password change: it reads the committed version of the account, and the next run deletes the remaining sessions.
 */
export async function deleteEndedSessions({
  database,
  clock,
}: {
  readonly database: Statements
  readonly clock: Clock
}): Promise<void> {
  await database.$executeRaw`
    DELETE FROM sessions s USING accounts a
     WHERE a.id = s.account_id AND (s.expires_at < ${clock.now()} OR s.credential_version <> a.credential_version)`
}
