import type { Statements } from '../../store/database.ts'
import type { RememberedLogin } from './remembered-logins.ts'

const MOST_OF_ACCOUNT = 100

/**
 * Stores a login that succeeded, and keeps only the hundred latest of the account. The key lock on the account waits
 * for a concurrent password change. After this wait, the statement sees the new password version. So no login with the
 * old password is stored after the change has deleted such logins.
 *
 * A repeated login gets a new `seq`, because relays read only rows that come after the last row they have read.
 */
export async function storeRecognisedLogin(
  database: Statements,
  loginHash: string,
  login: RememberedLogin,
): Promise<void> {
  const { accountId, credentialVersion } = login
  await database.$executeRaw`
    INSERT INTO recognised_logins (login_hash, account_id, credential_version)
    SELECT ${loginHash}, id, credential_version FROM accounts
     WHERE id = ${accountId} AND credential_version = ${credentialVersion} FOR KEY SHARE
    ON CONFLICT (login_hash) DO UPDATE
      SET seen_at = now(), credential_version = excluded.credential_version, seq = excluded.seq`
  await database.$executeRaw`
    DELETE FROM recognised_logins WHERE login_hash IN (
      SELECT login_hash FROM recognised_logins WHERE account_id = ${accountId}
       ORDER BY seq DESC OFFSET ${MOST_OF_ACCOUNT})`
}
