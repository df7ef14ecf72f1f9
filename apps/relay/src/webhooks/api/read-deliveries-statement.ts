import { z } from 'zod'
import { firstRows } from '../../http/list-rows-statement.ts'
import type { RowPosition } from '../../http/page.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { deliveryConditions, type WebhookDeliveryFilter } from './count-deliveries.ts'

const attempt = z.object({
  number: z.int(),
  /** ISO 8601, because the attempts are one JSON value. */
  startedAt: z.string(),
  durationMs: z.int(),
  url: z.string().nullable(),
  status: z.int().nullable(),
  error: z.string().nullable(),
  excerpt: z.string().nullable(),
})

const listedDelivery = z.object({
  key: z.bigint(),
  id: z.string(),
  event: z.string(),
  deviceId: z.string(),
  state: z.string(),
  droppedReason: z.string().nullable(),
  createdAt: z.date(),
  nextAttemptAt: z.date(),
  finishedAt: z.date().nullable(),
  /** In the order of their numbers. Null without attempts. */
  attempts: z.array(attempt).readonly().nullable(),
})

export type ListedDelivery = Readonly<z.output<typeof listedDelivery>>

/**
 * Reads a page of the deliveries of a webhook, newest first, with their attempts. Reads each state separately, in order
 * and only as far as needed, because the index begins with the state. Takes no locks.
 */
export async function readDeliveries(
  statements: Statements,
  filter: WebhookDeliveryFilter,
  { after, skip, take }: { readonly after: RowPosition | undefined; readonly skip: number; readonly take: number },
): Promise<ListedDelivery[]> {
  // With two bounds on the same side, the scan could start at the wider one.
  const isWithin = deliveryConditions(
    after && filter.to && after.createdAt < filter.to ? { ...filter, to: undefined } : filter,
  )
  const isAfter = after ? Prisma.sql`AND (created_at, key) < (${after.createdAt}, ${after.key})` : Prisma.empty
  const scan = Prisma.sql`
    SELECT key, created_at FROM webhook_deliveries
    WHERE state = wanted.state AND ${isWithin} ${isAfter}
    ORDER BY created_at DESC, key DESC`
  return await readRows(
    statements,
    listedDelivery,
    Prisma.sql`
    WITH page AS MATERIALIZED (
      SELECT one.key, one.created_at
      FROM unnest(${[...filter.states]}::text[]) AS wanted (state) CROSS JOIN LATERAL (
        ${firstRows(scan, skip + take)}
      ) AS one
      ORDER BY one.created_at DESC, one.key DESC
      LIMIT ${take} OFFSET ${skip}
    )
    SELECT d.key, d.id, d.event, d.device_id AS "deviceId", d.state, d.dropped_reason AS "droppedReason",
      d.created_at AS "createdAt", d.next_attempt_at AS "nextAttemptAt", d.finished_at AS "finishedAt",
      (SELECT json_agg(json_build_object('number', a.number, 'startedAt', a.started_at, 'durationMs', a.duration_ms,
          'url', a.url, 'status', a.status, 'error', a.error, 'excerpt', a.excerpt) ORDER BY a.number)
        FROM webhook_attempts a WHERE a.delivery_key = d.key) AS attempts
    FROM page JOIN webhook_deliveries d ON d.key = page.key
    ORDER BY page.created_at DESC, page.key DESC`,
  )
}
