import { countRows, findPosition, firstOf } from '../../http/list-rows-statement.ts'
import { type CountedRows, MOST_COUNTED_ROWS, type RowPosition } from '../../http/page.ts'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'

export interface WebhookDeliveryFilter {
  readonly webhookKey: bigint
  readonly states: readonly string[]
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/** Counts deliveries one by one, up to `most`. Reads only an index. */
export function countDeliveries(
  statements: RawStatements,
  filter: WebhookDeliveryFilter,
  most = MOST_COUNTED_ROWS,
): Promise<CountedRows> {
  const rows = Prisma.sql`unnest(${[...filter.states]}::text[]) AS wanted (state) CROSS JOIN LATERAL (
    SELECT created_at FROM webhook_deliveries WHERE state = wanted.state AND ${deliveryConditions(filter)}
    ORDER BY created_at DESC, key DESC ${firstOf(most + 1)}) AS of_state`
  return countRows(statements, { rows }, most)
}

/**
 * Finds the delivery at an offset, newest first. Merges one index scan of each state, and reads only the index. Each
 * scan has its own order and limit. Without them, PostgreSQL reads all deliveries of the webhook and sorts them.
 */
export function findDeliveryAt(
  statements: RawStatements,
  filter: WebhookDeliveryFilter,
  offset: number,
): Promise<RowPosition | undefined> {
  const scans = filter.states.map(
    (state) => Prisma.sql`(
      SELECT created_at, key FROM webhook_deliveries WHERE state = ${state} AND ${deliveryConditions(filter)}
      ORDER BY created_at DESC, key DESC LIMIT ${offset + 1})`,
  )
  return findPosition(statements, Prisma.sql`(${Prisma.join(scans, ' UNION ALL ')}) AS one`, offset)
}

/** The SQL condition for the deliveries of a webhook in a period, of any state. */
export function deliveryConditions({ webhookKey, from, to }: WebhookDeliveryFilter): Prisma.Sql {
  const all = [Prisma.sql`webhook_key = ${webhookKey}`]
  if (from !== undefined) all.push(Prisma.sql`created_at >= ${from}`)
  if (to !== undefined) all.push(Prisma.sql`created_at < ${to}`)
  return Prisma.join(all, ' AND ')
}
