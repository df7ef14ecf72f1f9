import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { Move } from '../../messages/progress/message-progress.ts'
import type { Database, Statements } from '../../store/database.ts'
import { latestLease } from './lease.ts'

export interface SilenceLimits {
  /** For messages with a deadline: silence after the deadline. */
  readonly afterExpiryMs: number
  /** For messages without a deadline. */
  readonly silenceMs: number
}

/**
 * Fails the messages of devices that were silent beyond their limit, for all accounts. Returns how many it ended.
 *
 * Each verdict records a cancel, which a returning device obeys before it sends anything. Its later reports correct the
 * verdict. The devices are locked, so that a device that returns now is either seen here or finds the cancels.
 */
export async function loseSilentDevices(
  database: Database,
  limits: SilenceLimits,
  now: Date,
  onMoved?: (moves: readonly Move[]) => void,
): Promise<number> {
  let ended = 0
  for (;;) {
    const { count, moves } = await database.$transaction((statements) => loseSome(statements, limits, now), {
      timeout: 20_000,
    })
    onMoved?.(moves)
    ended += count
    if (count < AT_ONCE) return ended
  }
}

const AT_ONCE = 500

async function loseSome(statements: Statements, limits: SilenceLimits, now: Date) {
  const { afterExpiryMs, silenceMs } = limits
  const silentSince = new Date(now.getTime() - silenceMs)
  const expiredSince = new Date(now.getTime() - afterExpiryMs)
  const lost = await statements.$queryRaw<{ cmdId: string; accountId: string }[]>`
    SELECT r.cmd_id AS "cmdId", r.account_id AS "accountId"
    FROM devices d JOIN recipients r ON r.device_id = d.id AND r.account_id = d.account_id
    WHERE (d.lease_until IS NULL OR d.lease_until NOT BETWEEN ${now} AND ${latestLease(now)})
      AND r.state IN ('Pending', 'Cancelling', 'Processed')
      AND CASE WHEN r.valid_until IS NULL
        THEN greatest(d.last_seen, r.due_at, r.dispatched_at) <= ${silentSince}
        ELSE greatest(d.last_seen, r.valid_until) <= ${expiredSince} END
    ORDER BY d.id, r.message_key, r.position LIMIT ${AT_ONCE}
    FOR SHARE OF d`
  const input = { kind: 'device-lost', at: now } as const
  const updates = lost.map((one) => ({ ...one, input }))
  const { moves } = await advanceMessages(statements, updates, now)
  return { count: lost.length, moves }
}
