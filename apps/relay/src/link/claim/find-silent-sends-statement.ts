import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { latestLease } from './lease.ts'

export interface SilenceLimits {
  /** How long a device may be silent after the deadline of a message before the message is lost. */
  readonly afterExpiryMs: number
  /** How long a device may be silent before a message without a deadline is lost. */
  readonly silenceMs: number
}

/**
 * Finds unfinished messages of devices that were silent for longer than the limit.
 *
 * Locks the devices. If a device reconnects at the same time, either this statement sees the new connection, or the
 * device waits until the caller has recorded the cancels. The lock mode is SHARE, so that two relays that run this
 * statement do not wait for each other.
 */
export function findSilentSends(
  statements: Statements,
  { afterExpiryMs, silenceMs }: SilenceLimits,
  now: Date,
  limit: number,
): Promise<z.output<typeof sendRow>[]> {
  const silentSince = new Date(now.getTime() - silenceMs)
  const expiredSince = new Date(now.getTime() - afterExpiryMs)
  return readRows(
    statements,
    sendRow,
    Prisma.sql`
      SELECT r.cmd_id AS "cmdId", r.account_id AS "accountId"
      FROM devices d JOIN recipients r ON r.device_id = d.id AND r.account_id = d.account_id
      LEFT JOIN relays l ON l.id = d.relay_id
      WHERE coalesce(coalesce(l.lease_until, d.lease_until) NOT BETWEEN ${now} AND ${latestLease(now)}, true)
        AND r.state IN ('Pending', 'Cancelling', 'Processed')
        AND CASE WHEN r.valid_until IS NULL
          THEN greatest(d.last_seen, l.renewed_at, r.due_at, r.dispatched_at) <= ${silentSince}
          ELSE greatest(d.last_seen, l.renewed_at, r.valid_until) <= ${expiredSince} END
      ORDER BY d.id, r.message_key, r.position LIMIT ${limit}
      FOR SHARE OF d`,
  )
}

const sendRow = z.object({ cmdId: z.string(), accountId: z.string() })
