import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * The time at which messages that wait for approval are due: so late that neither this nor an earlier release
 * dispatches them.
 */
export const HELD = new Date('9999-12-31T00:00:00.000Z')

export interface Decision {
  readonly accountId: string
  readonly id: string
  /** The name of the user or of the API key. */
  readonly by: string
  readonly at: Date
}

/**
 * Approves a message that waits for approval, which makes its recipients due. Returns false if the message no longer
 * waits.
 *
 * Locks the message, then its recipients, like `lockMessages`. Of several concurrent decisions, only the first has an
 * effect, because the others wait for the lock and then find no pending message. The same is true for a cancel, an
 * expiry and the deletion of the device.
 */
export async function approvePending(statements: Statements, { accountId, id, by, at }: Decision): Promise<boolean> {
  const decided = await readRows(
    statements,
    keyRow,
    Prisma.sql`
    WITH decided AS (
      UPDATE messages SET approval = 'approved', approval_at = ${at}, approval_by = ${by}
      WHERE account_id = ${accountId} AND id = ${id} AND state = 'Pending' AND approval = 'pending' AND approval_until > ${at}
      RETURNING key, schedule_at
    ), released AS (
      UPDATE recipients r SET due_at = greatest(decided.schedule_at, ${at}), not_before = coalesce(decided.schedule_at, 'epoch')
      FROM decided WHERE r.message_key = decided.key
    )
    SELECT key FROM decided`,
  )
  return decided.length > 0
}

/**
 * Refuses a message that waits for approval. Returns false if the message no longer waits. Locks as `approvePending`
 * does.
 */
export async function refusePending(statements: Statements, { accountId, id, by, at }: Decision): Promise<boolean> {
  const count = await statements.$executeRaw`
    UPDATE messages SET approval = 'refused', approval_at = ${at}, approval_by = ${by}
    WHERE account_id = ${accountId} AND id = ${id} AND state = 'Pending' AND approval = 'pending' AND approval_until > ${at}`
  return count > 0
}

const keyRow = z.object({ key: z.bigint() })
