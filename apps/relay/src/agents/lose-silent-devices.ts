import { advanceMessages } from '../messages/advance-messages.ts'
import type { Move } from '../messages/message-progress.ts'
import type { Database, Statements } from '../store/database.ts'

export interface SilenceLimits {
  /** After the end of a message's life. */
  readonly afterExpiryMs: number
  /** For messages that do not expire. */
  readonly silenceMs: number
}

/**
 * Ends what devices hold, or should have fetched, that have been silent beyond their limit. Works for every account.
 *
 * Each verdict records a cancel, which a device that comes back obeys before it sends anything; and what it then tells
 * corrects the verdict. Its devices are locked, so that one that comes back just now is either seen here or finds the
 * cancels. Gives how many were ended.
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
    WHERE (d.lease_until IS NULL OR d.lease_until <= ${now})
      AND r.state IN ('Pending', 'Cancelling', 'Processed')
      AND CASE WHEN r.valid_until IS NULL
        THEN greatest(d.last_seen, r.due_at, r.dispatched_at) <= ${silentSince}
        ELSE greatest(d.last_seen, r.valid_until) <= ${expiredSince} END
    ORDER BY d.id, r.message_key, r.position LIMIT ${AT_ONCE}
    FOR SHARE OF d`
  const input = { kind: 'device-lost', at: now } as const
  const news = lost.map((one) => ({ ...one, input }))
  const { moves } = await advanceMessages(statements, news, now)
  return { count: lost.length, moves }
}
