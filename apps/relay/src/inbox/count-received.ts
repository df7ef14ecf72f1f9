import { countRows, findPosition } from '../http/list-rows-statement.ts'
import type { CountedRows, RowPosition } from '../http/page.ts'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'

export interface ReceivedFilter {
  readonly accountId: string
  readonly type?: string | undefined
  /** All spellings of the number of a sender. */
  readonly senders?: readonly string[] | undefined
  readonly deviceId?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/** Counts received messages one by one, up to `most`. */
export function countReceived(statements: RawStatements, filter: ReceivedFilter, most?: number): Promise<CountedRows> {
  return countRows(statements, rowsOf(filter), most)
}

/** Finds the received message at an offset, newest first. Reads only an index. */
export function findReceivedAt(
  statements: RawStatements,
  filter: ReceivedFilter,
  offset: number,
): Promise<RowPosition | undefined> {
  return findPosition(statements, rowsOf(filter), offset)
}

function rowsOf({ accountId, type, senders, deviceId, from, to }: ReceivedFilter): Prisma.Sql {
  const all = [Prisma.sql`account_id = ${accountId}`]
  if (type !== undefined) all.push(Prisma.sql`type = ${type}`)
  if (senders !== undefined) all.push(Prisma.sql`sender = ANY(${[...senders]}::text[])`)
  if (deviceId !== undefined) all.push(Prisma.sql`device_id = ${deviceId}`)
  if (from !== undefined) all.push(Prisma.sql`created_at >= ${from}`)
  if (to !== undefined) all.push(Prisma.sql`created_at < ${to}`)
  return Prisma.sql`inbox WHERE ${Prisma.join(all, ' AND ')}`
}
