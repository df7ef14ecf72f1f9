import type { Clock } from '../../clock.ts'
import type { Database } from '../../store/database.ts'

/** Deletes sessions that have expired or whose password was changed, of all accounts. */
export async function deleteEndedSessions({
  database,
  clock,
}: {
  readonly database: Database
  readonly clock: Clock
}): Promise<void> {
  await database.$executeRaw`
    DELETE FROM sessions s USING accounts a
     WHERE a.id = s.account_id AND (s.expires_at < ${clock.now()} OR s.credential_version <> a.credential_version)`
}
