import { z } from 'zod'
import { type CountedRows, MOST_COUNTED_ROWS, type RowPosition } from '../../http/page.ts'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRow, readRows } from '../../store/read-rows.ts'

export interface WebhookDeliveryFilter {
  readonly webhookKey: bigint
  readonly states: readonly string[]
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

const countRow = z.object({ count: z.int() })
const positionRow = z.object({ createdAt: z.date(), key: z.bigint() })

/** Counts deliveries one by one, up to `most`. Takes no locks. */
export async function countDeliveries(
  statements: Statements,
  filter: WebhookDeliveryFilter,
  most = MOST_COUNTED_ROWS,
): Promise<CountedRows> {
  const { count } = await readRow(
    statements,
    countRow,
    Prisma.sql`
    SELECT count(*)::int FROM (
      SELECT FROM webhook_deliveries WHERE state = ANY(${[...filter.states]}::text[]) AND ${conditions(filter)}
      LIMIT ${most + 1}) AS counted`,
  )
  return { count: Math.min(count, most), isExact: count <= most }
}

/**
 * Finds the delivery at an offset, newest first. Merges one index scan of each state, and reads only the index. Takes
 * no locks.
 */
export async function findDeliveryAt(
  statements: Statements,
  filter: WebhookDeliveryFilter,
  offset: number,
): Promise<RowPosition | undefined> {
  const scans = filter.states.map(
    (state) =>
      Prisma.sql`SELECT created_at, key FROM webhook_deliveries WHERE state = ${state} AND ${conditions(filter)}`,
  )
  const [found] = await readRows(
    statements,
    positionRow,
    Prisma.sql`
    SELECT created_at AS "createdAt", key FROM (${Prisma.join(scans, ' UNION ALL ')}) AS one
    ORDER BY created_at DESC, key DESC LIMIT 1 OFFSET ${offset}`,
  )
  return found
}

function conditions({ webhookKey, from, to }: WebhookDeliveryFilter): Prisma.Sql {
  const all = [Prisma.sql`webhook_key = ${webhookKey}`]
  if (from !== undefined) all.push(Prisma.sql`created_at >= ${from}`)
  if (to !== undefined) all.push(Prisma.sql`created_at < ${to}`)
  return Prisma.join(all, ' AND ')
}
