import type { Database } from '../../store/database.ts'

/**
 * Some deliveries (followers) wait for the first attempt of one of the given deliveries (`insertDeliveries`). Makes
 * these followers due.
 *
 * Runs after the transaction that recorded the attempts. The statement of that transaction cannot see a follower that
 * is committed after the statement has started but before it has locked the row of the given delivery. Such a follower
 * would wait for `LONGEST_TURN`.
 *
 * SKIP LOCKED leaves out followers that another transaction changes, because waiting for them could cause a deadlock.
 */
export async function releaseFollowers(database: Database, keys: readonly bigint[]): Promise<void> {
  await database.$executeRaw`
    WITH following AS MATERIALIZED (
      SELECT f.key FROM webhook_deliveries first
      JOIN webhook_deliveries f ON f.follows_webhook_key = first.webhook_key AND f.follows_id = first.id
      WHERE first.key = ANY (${[...keys]}) AND f.follows_id IS NOT NULL
        AND f.state = 'waiting' AND f.tries = 0 AND f.next_attempt_at > now()
      FOR NO KEY UPDATE OF f SKIP LOCKED
    )
    UPDATE webhook_deliveries d SET next_attempt_at = now() FROM following WHERE d.key = following.key`
}
