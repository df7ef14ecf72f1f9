import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow } from '../../store/read-rows.ts'

const putRow = z.object({
  key: z.bigint(),
  id: z.string(),
  url: z.string(),
  event: z.string(),
  deviceId: z.string().nullable(),
  disabledAt: z.date().nullable(),
  disabledReason: z.string().nullable(),
  isNew: z.boolean(),
})

/**
 * Registers a webhook, or replaces and enables the one with this id, which keeps its secret and its history. A trigger
 * records since which event the webhook has its URL.
 *
 * Locks: one statement, so that two concurrent requests create one webhook.
 */
export function putWebhook(
  statements: Statements,
  accountId: string,
  webhook: { readonly id: string; readonly url: string; readonly event: string; readonly deviceId: string | null },
  secretSealed: string,
): Promise<z.output<typeof putRow>> {
  const { id, url, event, deviceId } = webhook
  return readRow(
    statements,
    putRow,
    Prisma.sql`
    INSERT INTO webhooks (account_id, id, url, event, device_id, secret_sealed)
    VALUES (${accountId}, ${id}, ${url}, ${event}, ${deviceId}, ${secretSealed})
    ON CONFLICT (account_id, id) DO UPDATE SET url = excluded.url, event = excluded.event,
      device_id = excluded.device_id, updated_at = now(), disabled_at = NULL, disabled_reason = NULL,
      failing_since = NULL, paused_until = NULL, pauses = 0
    RETURNING key, id, url, event, device_id AS "deviceId", disabled_at AS "disabledAt",
      disabled_reason AS "disabledReason", xmax = 0 AS "isNew"`,
  )
}
