import type { Statements } from '../../store/database.ts'

/**
 * Makes deliveries due with a new schedule of attempts. Recorded attempts are kept. A delivery that is being attempted
 * is also sent again, because the result of an attempt is valid only for the row version that was read for it. Returns
 * how many of the deliveries still exist.
 *
 * Locks: the deliveries. Workers skip locked rows, so only another redelivery waits for these locks. All redeliveries
 * take the locks in the same order.
 */
export function redeliver(statements: Statements, keys: readonly bigint[]): Promise<number> {
  return statements.$executeRaw`
    UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, next_attempt_at = now(), finished_at = NULL,
      dropped_reason = NULL
    WHERE key IN (SELECT key FROM webhook_deliveries WHERE key = ANY(${[...keys]}::bigint[]) ORDER BY key FOR UPDATE)`
}
