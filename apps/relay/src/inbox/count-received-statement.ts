import { z } from 'zod'
import { type CountedRows, MOST_COUNTED_ROWS, type RowPosition } from '../http/page.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRow, readRows } from '../store/read-rows.ts'

export interface ReceivedFilter {
  readonly accountId: string
  readonly type?: string | undefined
  /** All spellings of the number of a sender. */
  readonly senders?: readonly string[] | undefined
  readonly deviceId?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

const countRow = z.object({ count: z.int() })
const positionRow = z.object({ createdAt: z.date(), key: z.bigint() })

/** Counts received messages one by one, up to `most`. Takes no locks. */
export async function countReceived(
  statements: Statements,
  filter: ReceivedFilter,
  most = MOST_COUNTED_ROWS,
): Promise<CountedRows> {
  const { count } = await readRow(
    statements,
    countRow,
    Prisma.sql`
    SELECT count(*)::int FROM (SELECT FROM inbox WHERE ${conditions(filter)} LIMIT ${most + 1}) AS counted`,
  )
  return { count: Math.min(count, most), isExact: count <= most }
}

/** Finds the received message at an offset, newest first. Reads only an index. Takes no locks. */
export async function findReceivedAt(
  statements: Statements,
  filter: ReceivedFilter,
  offset: number,
): Promise<RowPosition | undefined> {
  const [found] = await readRows(
    statements,
    positionRow,
    Prisma.sql`
    SELECT created_at AS "createdAt", key FROM inbox WHERE ${conditions(filter)}
    ORDER BY created_at DESC, key DESC LIMIT 1 OFFSET ${offset}`,
  )
  return found
}

function conditions({ accountId, type, senders, deviceId, from, to }: ReceivedFilter): Prisma.Sql {
  const all = [Prisma.sql`account_id = ${accountId}`]
  if (type !== undefined) all.push(Prisma.sql`type = ${type}`)
  if (senders !== undefined) all.push(Prisma.sql`sender = ANY(${[...senders]}::text[])`)
  if (deviceId !== undefined) all.push(Prisma.sql`device_id = ${deviceId}`)
  if (from !== undefined) all.push(Prisma.sql`created_at >= ${from}`)
  if (to !== undefined) all.push(Prisma.sql`created_at < ${to}`)
  return Prisma.join(all, ' AND ')
}
