import type { Statements } from '../store/database.ts'

/** Marks deliveries whose numbers have to be removed. Does not lock the deliveries, which may be in progress. */
export async function markDeliveries(
  statements: Statements,
  deliveries: readonly { readonly webhookKey: bigint; readonly id: string }[],
): Promise<void> {
  await statements.$executeRaw`
    INSERT INTO webhook_deliveries_to_clear (delivery_key)
    SELECT d.key FROM webhook_deliveries d
    JOIN unnest(${deliveries.map(({ webhookKey }) => webhookKey)}::bigint[], ${deliveries.map(({ id }) => id)}::text[])
      AS marked (webhook_key, id) ON d.webhook_key = marked.webhook_key AND d.id = marked.id
    ON CONFLICT DO NOTHING`
}

/**
 * Removes the numbers from marked deliveries that are finished. Also removes the excerpts of the receivers' answers to
 * these deliveries, because the excerpts may repeat the numbers. A delivery that is not finished keeps its number,
 * because the receiver still needs it.
 *
 * SKIP LOCKED leaves out locked deliveries, which the next run clears.
 */
export async function clearFinishedDeliveries(statements: Statements): Promise<void> {
  await statements.$executeRaw`
    WITH finished AS MATERIALIZED (
      SELECT d.key FROM webhook_deliveries_to_clear c JOIN webhook_deliveries d ON d.key = c.delivery_key
      WHERE d.state <> 'waiting'
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ), cleared AS (
      UPDATE webhook_deliveries d SET payload = d.payload || '{"recipient": "", "phoneNumber": ""}'
      FROM finished WHERE d.key = finished.key
    ), excerpts AS (
      UPDATE webhook_attempts a SET excerpt = NULL FROM finished
      WHERE a.delivery_key = finished.key AND a.excerpt IS NOT NULL
    )
    DELETE FROM webhook_deliveries_to_clear c USING finished WHERE c.delivery_key = finished.key`
}
