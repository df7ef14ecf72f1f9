import type { Statements } from '../../store/database.ts'

const RECOGNISED_DAYS = 30

/**
 * Deletes recognised logins that are old or whose password was changed. A concurrent login that updates such a row
 * waits for the row lock. Then it stores the row again.
 */
export async function deleteOldRecognisedLogins(database: Statements): Promise<void> {
  await database.$executeRaw`
    DELETE FROM recognised_logins r USING accounts a
     WHERE a.id = r.account_id
       AND (r.seen_at < now() - ${RECOGNISED_DAYS}::int * interval '1 day' OR r.credential_version <> a.credential_version)`
}
