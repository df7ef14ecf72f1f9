import type { DeliveryState, RedeliverRequest } from '@smsgw/contract/webhooks/webhook'
import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/** Returns the events of a time range that were meant for an earlier URL of the webhook. Takes no locks. */
export async function readOlderEvents(
  statements: Statements,
  webhookKey: bigint,
  states: readonly DeliveryState[],
  { from, to }: RedeliverRequest,
): Promise<string[]> {
  const rows = await readRows(
    statements,
    eventRow,
    Prisma.sql`
    SELECT DISTINCT d.event FROM webhook_deliveries d JOIN webhooks w ON w.key = d.webhook_key
    WHERE d.webhook_key = ${webhookKey} AND d.state = ANY(${[...states]}::text[])
      AND d.created_at >= ${from} AND d.created_at < ${to} AND d.key <= w.url_since_delivery`,
  )
  return rows.map(({ event }) => event)
}

/**
 * Returns the events of these deliveries that were meant for an earlier URL of the webhook.
 *
 * Locks the webhook, so that its URL does not change before the transaction ends. If the URL is being changed, waits
 * for this change and then sees the new value.
 */
export async function lockOlderEvents(
  statements: Statements,
  webhookKey: bigint,
  deliveryKeys: readonly bigint[],
): Promise<string[]> {
  const rows = await readRows(
    statements,
    eventRow,
    Prisma.sql`
    WITH webhook AS MATERIALIZED (
      SELECT url_since_delivery FROM webhooks WHERE key = ${webhookKey} FOR NO KEY UPDATE
    )
    SELECT DISTINCT d.event FROM webhook JOIN webhook_deliveries d ON d.key <= webhook.url_since_delivery
    WHERE d.key = ANY(${[...deliveryKeys]}::bigint[])`,
  )
  return rows.map(({ event }) => event)
}

const eventRow = z.object({ event: z.string() })
