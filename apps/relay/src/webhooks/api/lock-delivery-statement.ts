import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

const lockedDelivery = z.object({
  key: z.bigint(),
  webhookKey: z.bigint(),
  event: z.string(),
  /** True if the delivery was created for an earlier URL of the webhook. */
  isOlder: z.boolean(),
  disabledAt: z.date().nullable(),
  disabledReason: z.string().nullable(),
})

/**
 * Searches each webhook of the account for the delivery, because the index begins with the webhook, and an account has
 * few webhooks.
 *
 * Locks the webhook, so that it is neither deleted nor changed before the transaction ends.
 */
export async function lockDelivery(
  statements: Statements,
  accountId: string,
  id: string,
): Promise<z.output<typeof lockedDelivery> | undefined> {
  const [delivery] = await readRows(
    statements,
    lockedDelivery,
    Prisma.sql`
    SELECT d.key, w.key AS "webhookKey", d.event, d.key <= w.url_since_delivery AS "isOlder",
      w.disabled_at AS "disabledAt", w.disabled_reason AS "disabledReason"
    FROM webhooks w JOIN webhook_deliveries d ON d.webhook_key = w.key AND d.id = ${id}
    WHERE w.account_id = ${accountId} FOR NO KEY UPDATE OF w`,
  )
  return delivery
}
