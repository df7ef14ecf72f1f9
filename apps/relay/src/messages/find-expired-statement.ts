import { z } from 'zod'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRows } from '../store/read-rows.ts'
import { HELD } from './approval/decide-approval-statement.ts'

/**
 * Finds the recipients that were not dispatched before their deadline, for all accounts. Leaves out messages that wait
 * for approval, which `expireApprovals` ends. Takes no locks, because messages must be locked before recipients
 * (`lockMessages`). If the state of a recipient changes before the caller locks it, the caller leaves this recipient as
 * it is.
 */
export function findExpired(
  statements: RawStatements,
  now: Date,
  limit: number,
): Promise<z.output<typeof expiredRow>[]> {
  return readRows(
    statements,
    expiredRow,
    Prisma.sql`
      SELECT account_id AS "accountId", cmd_id AS "cmdId" FROM recipients
      WHERE dispatched_journal IS NULL AND state = 'Pending' AND valid_until <= ${now}
        AND coalesce(not_before, due_at) < ${HELD}
      ORDER BY valid_until LIMIT ${limit}`,
  )
}

const expiredRow = z.object({ accountId: z.string(), cmdId: z.string() })
