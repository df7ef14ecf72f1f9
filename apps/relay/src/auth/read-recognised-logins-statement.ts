import type { Database } from '../store/database.ts'

export interface RecognisedLoginRow {
  readonly seq: bigint
  readonly loginHash: string
  readonly username: string
  readonly seenAt: Date
}

/** Reads the latest logins whose password is unchanged, newest first, from `afterSeq` on. Takes no locks. */
export function readRecognisedLogins(
  database: Database,
  { afterSeq, most }: { readonly afterSeq: bigint; readonly most: number },
): Promise<RecognisedLoginRow[]> {
  return database.$queryRaw<RecognisedLoginRow[]>`
    SELECT r.seq, r.login_hash AS "loginHash", a.username, r.seen_at AS "seenAt"
      FROM recognised_logins r JOIN accounts a ON a.id = r.account_id AND a.credential_version = r.credential_version
     WHERE r.seq > ${afterSeq} ORDER BY r.seq DESC LIMIT ${most}`
}
