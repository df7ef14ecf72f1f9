import type { Statements } from '../store/database.ts'

/**
 * Makes deliveries due, with the whole schedule of attempts before them; those recorded so far stay. One that is
 * just being sent is sent again: what comes of an attempt counts only for the row as it was when that began. Gives how many
 * are still there.
 *
 * Workers pass over locked rows, so nobody waits for these locks but another redelivery, in the same order.
 */
export function redeliver(statements: Statements, keys: readonly bigint[]): Promise<number> {
  return statements.$executeRaw`
    UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, next_attempt_at = now(), finished_at = NULL
    WHERE key IN (SELECT key FROM webhook_deliveries WHERE key = ANY(${[...keys]}::bigint[]) ORDER BY key FOR UPDATE)`
}
