import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'

const registeredWebhook = z.object({
  key: z.bigint(),
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  deviceId: z.string().nullable(),
  format: z.string().nullable(),
  disabled: z.boolean(),
  /** The key of the last inbox row that was stored before the webhook got its URL. */
  urlSinceInbox: z.bigint(),
})

export type RegisteredWebhook = Readonly<z.output<typeof registeredWebhook>>

/**
 * Finds the webhooks that are registered for these events.
 *
 * Locks them against deletion, as the foreign key of the deliveries would. With this lock, a webhook that is being
 * deleted is not found. With the foreign key alone, the transaction would fail. With `keepUrl`, a change of the URL
 * also waits.
 */
export function lockRegistered(
  statements: RawStatements,
  accountId: string,
  events: readonly string[],
  { keepUrl }: { readonly keepUrl: boolean },
): Promise<RegisteredWebhook[]> {
  return readRows(
    statements,
    registeredWebhook,
    Prisma.sql`
    SELECT key, id, url, events, device_id AS "deviceId", format, disabled_at IS NOT NULL AS disabled,
      url_since_inbox AS "urlSinceInbox"
    FROM webhooks WHERE account_id = ${accountId} AND events && ${[...events]}::text[]
    ORDER BY key ${keepUrl ? Prisma.sql`FOR NO KEY UPDATE` : Prisma.sql`FOR KEY SHARE`}`,
  )
}
