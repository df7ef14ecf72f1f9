import type { Statements } from '../../store/database.ts'

const ROWS_AT_ONCE = 5000

/**
 * Deletes a webhook with its deliveries. The webhook is disabled first, so that nothing is sent in the meantime.
 *
 * Deletes the deliveries in several statements, because there may be millions. SKIP LOCKED leaves out locked
 * deliveries, which are deleted with the webhook.
 */
export async function deleteWithDeliveries(database: Statements, key: bigint): Promise<void> {
  await database.$executeRaw`
    UPDATE webhooks SET disabled_at = now(), disabled_reason = 'it is being deleted' WHERE key = ${key}`
  let deleted: number
  do {
    deleted = await database.$executeRaw`
      DELETE FROM webhook_deliveries WHERE key IN (
        SELECT key FROM webhook_deliveries WHERE webhook_key = ${key} LIMIT ${ROWS_AT_ONCE} FOR UPDATE SKIP LOCKED)`
  } while (deleted === ROWS_AT_ONCE)
  await database.webhook.deleteMany({ where: { key } })
}
