import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow } from '../../store/read-rows.ts'

const putRow = z.object({
  key: z.bigint(),
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  name: z.string().nullable(),
  format: z.string().nullable(),
  heldSince: z.date().nullable(),
  deviceId: z.string().nullable(),
  disabledAt: z.date().nullable(),
  disabledReason: z.string().nullable(),
  isNew: z.boolean(),
})

interface NewWebhook {
  readonly id: string
  readonly url: string
  readonly events: readonly [string, ...string[]]
  readonly name?: string | undefined
  readonly format?: 'smsgw' | 'twilio' | undefined
  readonly deviceId: string | null
}

/**
 * Registers a webhook, or replaces and enables the webhook with this id. A replaced webhook keeps its secret, its
 * history and its pause. If the request contains no name, the webhook also keeps its name. A trigger records the first
 * event that goes to the new URL.
 *
 * A single statement is used, so that two concurrent requests create one webhook.
 */
export function putWebhook(
  statements: Statements,
  accountId: string,
  webhook: NewWebhook,
  secretSealed: string,
): Promise<z.output<typeof putRow>> {
  const { id, url, events, deviceId } = webhook
  const format = webhook.format === 'twilio' ? 'twilio' : null
  const name = webhook.name || null
  return readRow(
    statements,
    putRow,
    Prisma.sql`
    INSERT INTO webhooks (account_id, id, url, event, events, name, format, device_id, secret_sealed)
    VALUES (${accountId}, ${id}, ${url}, ${events[0]}, ${[...events]}::text[], ${name}, ${format}, ${deviceId}, ${secretSealed})
    ON CONFLICT (account_id, id) DO UPDATE SET url = excluded.url, event = excluded.event, events = excluded.events,
      name = coalesce(excluded.name, webhooks.name), format = excluded.format, device_id = excluded.device_id, updated_at = now(), disabled_at = NULL, disabled_reason = NULL,
      failing_since = NULL, paused_until = NULL, pauses = 0
    RETURNING key, id, url, events, name, format, held_since AS "heldSince", device_id AS "deviceId", disabled_at AS "disabledAt",
      disabled_reason AS "disabledReason", xmax = 0 AS "isNew"`,
  )
}
