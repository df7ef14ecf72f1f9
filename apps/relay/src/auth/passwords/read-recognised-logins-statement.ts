import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/** Reads the latest logins after `afterSeq` whose password is unchanged, newest first. Takes no locks. */
export function readRecognisedLogins(
  database: Statements,
  { afterSeq, most }: { readonly afterSeq: bigint; readonly most: number },
): Promise<z.output<typeof loginRow>[]> {
  return readRows(
    database,
    loginRow,
    Prisma.sql`
    SELECT r.seq, r.login_hash AS "loginHash", a.username, r.seen_at AS "seenAt"
      FROM recognised_logins r JOIN accounts a ON a.id = r.account_id AND a.credential_version = r.credential_version
     WHERE r.seq > ${afterSeq} ORDER BY r.seq DESC LIMIT ${most}`,
  )
}

const loginRow = z.object({ seq: z.bigint(), loginHash: z.string(), username: z.string(), seenAt: z.date() })
