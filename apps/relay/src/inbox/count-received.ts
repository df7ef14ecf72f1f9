import { allOf, countRows, findPosition, firstOf, type ScannedRows } from '../http/list-rows-statement.ts'
import { type CountedRows, MOST_COUNTED_ROWS, type RowPosition } from '../http/page.ts'
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

/** Counts received messages one by one. Reads at most `most` rows. */
export function countReceived(statements: RawStatements, filter: ReceivedFilter, most?: number): Promise<CountedRows> {
  return countRows(statements, scannedRows(filter), most)
}

/** Finds the received message at an offset, newest first. Reads only an index. */
export function findReceivedAt(
  statements: RawStatements,
  filter: ReceivedFilter,
  offset: number,
): Promise<RowPosition | undefined> {
  return findPosition(statements, rowsOf(filter), offset)
}

/** Selects the rows with the narrowest filter that an index supports. Other filters are checked for each row. */
function scannedRows(filter: ReceivedFilter): ScannedRows {
  const { accountId, type, senders, deviceId, from, to } = filter
  const within = { accountId, from, to }
  // The order makes PostgreSQL use the index and stop at the limit.
  const inOrder = Prisma.sql`ORDER BY created_at DESC, key DESC`
  if (senders !== undefined) {
    const rows = Prisma.sql`unnest(${[...senders]}::text[]) AS wanted (number) CROSS JOIN LATERAL (
      SELECT * FROM ${rowsOf(within)} AND sender = wanted.number
      ${inOrder} ${firstOf(MOST_COUNTED_ROWS + 1)}) AS of_sender`
    return { rows, matches: allOf(conditionsOf({ type, deviceId })) }
  }
  if (deviceId !== undefined)
    return { rows: Prisma.sql`${rowsOf({ ...within, deviceId })} ${inOrder}`, matches: allOf(conditionsOf({ type })) }
  return { rows: Prisma.sql`${rowsOf({ ...within, type })} ${inOrder}` }
}

function rowsOf({ accountId, ...filter }: ReceivedFilter): Prisma.Sql {
  return Prisma.sql`inbox WHERE ${Prisma.join([Prisma.sql`account_id = ${accountId}`, ...conditionsOf(filter)], ' AND ')}`
}

function conditionsOf({ type, senders, deviceId, from, to }: Omit<ReceivedFilter, 'accountId'>): Prisma.Sql[] {
  const all: Prisma.Sql[] = []
  if (type !== undefined) all.push(Prisma.sql`type = ${type}`)
  if (senders !== undefined) all.push(Prisma.sql`sender = ANY(${[...senders]}::text[])`)
  if (deviceId !== undefined) all.push(Prisma.sql`device_id = ${deviceId}`)
  if (from !== undefined) all.push(Prisma.sql`created_at >= ${from}`)
  if (to !== undefined) all.push(Prisma.sql`created_at < ${to}`)
  return all
}
