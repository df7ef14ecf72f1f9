import { type ApprovalState, sentByKind } from '@smsgw/contract/messages/message'
import { type MessageState, messageStates } from '@smsgw/contract/messages/message-states'
import { allOf, countRows, firstOf, firstRows, type ScannedRows } from '../http/list-rows-statement.ts'
import { ALL_ROWS, type CountedRows, MOST_COUNTED_ROWS, type RowPosition } from '../http/page.ts'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import { type CountFilter, countMessages } from './counts/count-messages-statement.ts'
import { type StoredMessage, storedMessage, storedMessageColumns } from './stored-message.ts'

export interface HistoryFilter {
  readonly accountId: string
  readonly state?: MessageState | undefined
  readonly deviceId?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** If true, only messages with at least one failed recipient. */
  readonly hasFailed?: boolean | undefined
  /** Only messages that were sent with this kind of credentials, or with the API key that has this id. */
  readonly sentBy?: string | undefined
  readonly approval?: ApprovalState | undefined
}

export type Direction = 'ASC' | 'DESC'

export interface PartOfHistory {
  readonly after: RowPosition | undefined
  readonly skip: number
  readonly take: number
}

/**
 * Reads a page of messages in the order of creation. Takes no locks.
 *
 * Reads each of the seven states separately, in order and only as far as needed, and merges the results. So two indexes
 * that begin with the state are sufficient for most filters. With a separate index for each filter, each step of each
 * message would have to write more indexes. A page takes the same time at every depth (`npm run bench`). Senders and
 * approvals have indexes of their own, because the messages of one sender may be rare. If a filter selects few
 * messages, which are far apart, all of them are read and sorted.
 */
export async function readHistory(
  statements: Statements,
  filter: HistoryFilter,
  direction: Direction,
  { after, skip, take }: PartOfHistory,
): Promise<StoredMessage[]> {
  const order = Prisma.raw(direction)
  const { hasFailed, ...others } = filter
  const reading: Reading = {
    isWithin: (bounds) => allOf(conditionsOf(bounded(bounds, direction, after), direction)),
    inOrder: Prisma.sql`ORDER BY created_at ${order}, key ${order}`,
    rows: skip + take,
  }
  const { isWithin, inOrder } = reading
  const inScans = hasFailed === true ? failedInOrder(others, reading) : scansInOrder(others, reading)
  const few = fewRows(filter)
  // OFFSET 0 makes PostgreSQL read each of the few messages by its key.
  const rows =
    few === undefined
      ? inScans
      : Prisma.sql`
        SELECT m.key, m.created_at FROM (SELECT DISTINCT key FROM few) AS one CROSS JOIN LATERAL (
          SELECT key, created_at FROM messages WHERE key = one.key AND ${isWithin(others)} OFFSET 0) AS m
        WHERE (SELECT count(*) FROM few) <= ${MOST_FEW}
        UNION ALL
        SELECT * FROM (${inScans}) AS many WHERE (SELECT count(*) FROM few) > ${MOST_FEW}`
  return await readRows(
    statements,
    storedMessage,
    Prisma.sql`
    WITH ${few === undefined ? Prisma.empty : Prisma.sql`few AS MATERIALIZED (${few} ${firstOf(MOST_FEW + 1)}),`}
    page AS MATERIALIZED (
      SELECT key, created_at FROM (${rows}) AS one ${inOrder} LIMIT ${take} OFFSET ${skip}
    )
    SELECT ${storedMessageColumns}
    FROM page JOIN messages m ON m.key = page.key
    ORDER BY page.created_at ${order}, page.key ${order}`,
  )
}

interface Reading {
  /** The SQL condition of a filter and of the position after which the page begins. */
  readonly isWithin: (bounds: Bounds) => Prisma.Sql | undefined
  readonly inOrder: Prisma.Sql
  /** The number of rows up to the end of the page. */
  readonly rows: number
}

/** Reads index scans in order, each only as far as the page could need it. */
function scansInOrder(filter: HistoryFilter, { isWithin, inOrder, rows }: Reading): Prisma.Sql {
  const { scans, isOfScan, others } = scansOf(filter)
  const scan = Prisma.sql`SELECT key, created_at FROM messages WHERE ${isOfScan} AND ${isWithin(others)} ${inOrder}`
  return Prisma.sql`SELECT one.key, one.created_at FROM ${scans} CROSS JOIN LATERAL (${firstRows(scan, rows)}) AS one`
}

/**
 * Merges the messages of all states in order, and searches the failed recipients of each message. If it searched them
 * in each state, it would read the whole history of a state without failed recipients. Limits and OFFSET 0 prevent it.
 */
function failedInOrder(filter: HistoryFilter, { isWithin, inOrder, rows }: Reading): Prisma.Sql {
  const { accountId, state, sentBy, ...others } = filter
  const isSent = sentBy === undefined ? Prisma.empty : Prisma.sql`AND ${isSentBy(sentBy)}`
  const scans = statesOf({ state }).map(
    (one) => Prisma.sql`(
      SELECT key, created_at FROM messages
      WHERE state = ${one}::message_state AND ${isWithin({ ...others, accountId })} ${isSent} ${inOrder} ${firstOf(ALL_ROWS)})`,
  )
  const scan = Prisma.sql`
    SELECT key, created_at FROM (
      SELECT * FROM (${Prisma.join(scans, ' UNION ALL ')}) AS one ${inOrder} ${firstOf(ALL_ROWS)}) AS merged
    WHERE EXISTS (
      SELECT FROM recipients WHERE message_key = merged.key AND account_id = ${accountId} AND state = 'Failed' OFFSET 0)
    ${inOrder}`
  return firstRows(scan, rows)
}

interface Scans {
  /** Rows, one for each scan. */
  readonly scans: Prisma.Sql
  /** The condition of each scan. */
  readonly isOfScan: Prisma.Sql
  /** The filters that the condition does not contain. */
  readonly others: HistoryFilter
}

/** Selects index scans that together contain all messages of a filter. */
function scansOf(filter: HistoryFilter): Scans {
  const { accountId, state, deviceId, sentBy, approval } = filter
  if (approval === undefined && (sentBy === undefined || (state ?? deviceId) !== undefined)) {
    const isOfState = Prisma.sql`state = wanted.state`
    return {
      scans: Prisma.sql`unnest(${statesOf(filter)}::message_state[]) AS wanted (state)`,
      isOfScan: sentBy === undefined ? isOfState : Prisma.sql`${isOfState} AND ${isSentBy(sentBy)}`,
      others: { ...filter, state: undefined, sentBy: undefined },
    }
  }
  if (approval === undefined && sentBy === 'key') {
    return {
      scans: keysOf(accountId),
      isOfScan: Prisma.sql`sent_by_key_id = wanted.key_id`,
      others: { ...filter, sentBy: undefined },
    }
  }
  return { scans: Prisma.sql`(SELECT) AS wanted`, isOfScan: Prisma.sql`true`, others: filter }
}

/** Unlike `=`, this condition is never used to search an index. The sender has too many messages for that. */
function isSentBy(sentBy: string): Prisma.Sql {
  return keyOf(sentBy)
    ? Prisma.sql`sent_by_key_id IS NOT DISTINCT FROM ${sentBy}`
    : Prisma.sql`sent_by IS NOT DISTINCT FROM ${sentBy}`
}

/**
 * If a rare filter selects at most this many messages, all of them are read and sorted. Reading in order would read
 * most of the history before it had found a page.
 */
const MOST_FEW = 2_000

/** Selects the keys of the messages of a filter that may be rare and that no scan in order contains. */
function fewRows(filter: HistoryFilter): Prisma.Sql | undefined {
  const { accountId, hasFailed, state, deviceId, sentBy, approval } = filter
  if (hasFailed === true) return Prisma.sql`SELECT message_key AS key FROM ${failedOf(accountId)}`
  if (approval !== undefined || sentBy === undefined || (state ?? deviceId) === undefined) return undefined
  const { rows } = scannedRows({ accountId, sentBy, from: filter.from, to: filter.to })
  return Prisma.sql`SELECT key FROM ${rows}`
}

/**
 * Counts messages. With a filter that the stored counts do not support, counts the rows one by one and reads at most
 * `most` rows.
 */
export async function countHistory(statements: Statements, filter: HistoryFilter, most?: number): Promise<CountedRows> {
  const counted = countFilterOf(filter)
  if (counted !== undefined) return await countMessages(statements, counted, most)
  return await countRows(statements, scannedRows(filter), most)
}

/** Selects the rows with the narrowest filter that an index supports. Other filters are checked for each row. */
function scannedRows({ accountId, hasFailed, approval, sentBy, from, to, ...others }: HistoryFilter): ScannedRows {
  if (hasFailed === true) {
    const filters = conditionsOf({ ...others, approval, sentBy, from, to })
    const isMatch = Prisma.sql`EXISTS (SELECT FROM messages WHERE key = scanned.message_key AND ${allOf(filters)})`
    return {
      rows: failedOf(accountId),
      distinct: Prisma.sql`message_key`,
      matches: filters.length === 0 ? undefined : isMatch,
    }
  }
  // The order makes PostgreSQL use the index and stop at the limit.
  const inOrder = Prisma.sql`ORDER BY created_at DESC, key DESC`
  if (approval !== undefined) {
    const filters = conditionsOf({ accountId, approval, from, to })
    return {
      rows: Prisma.sql`messages WHERE ${allOf(filters)} ${inOrder}`,
      matches: allOf(conditionsOf({ ...others, sentBy })),
    }
  }
  const matches = allOf(conditionsOf(others))
  if (sentBy !== 'key') {
    return {
      rows: Prisma.sql`messages WHERE ${allOf(conditionsOf({ accountId, sentBy, from, to }))} ${inOrder}`,
      matches,
    }
  }
  const filters = conditionsOf({ accountId, from, to })
  const rows = Prisma.sql`${keysOf(accountId)} CROSS JOIN LATERAL (
    SELECT * FROM messages WHERE sent_by_key_id = wanted.key_id AND ${allOf(filters)}
    ${inOrder} ${firstOf(MOST_COUNTED_ROWS + 1)}) AS of_key`
  return { rows, matches }
}

/** The API keys of an account, which are few. Each of them has its own part of an index of messages. */
function keysOf(accountId: string): Prisma.Sql {
  return Prisma.sql`(SELECT id AS key_id FROM api_keys WHERE account_id = ${accountId}) AS wanted`
}

function failedOf(accountId: string): Prisma.Sql {
  return Prisma.sql`recipients WHERE account_id = ${accountId} AND state = 'Failed' ORDER BY message_key DESC`
}

/** Returns the filter for the stored counts, or undefined for a filter that they do not support. */
export function countFilterOf(filter: HistoryFilter): CountFilter | undefined {
  const { accountId, deviceId, from, to, hasFailed, sentBy, approval } = filter
  if (hasFailed === true || sentBy !== undefined || approval !== undefined) return undefined
  return { accountId, states: statesOf(filter), deviceId, from, to }
}

function statesOf({ state }: Pick<HistoryFilter, 'state'>): MessageState[] {
  return state === undefined ? [...messageStates] : [state]
}

interface Bounds extends HistoryFilter {
  readonly after?: RowPosition | undefined
}

/**
 * Keeps only the narrower of two bounds on the same side. With both bounds, the scan could start at the wider bound.
 */
function bounded(filter: HistoryFilter, direction: Direction, after: RowPosition | undefined): Bounds {
  if (after === undefined) return filter
  if (direction === 'DESC') {
    return filter.to && filter.to <= after.createdAt ? filter : { ...filter, after, to: undefined }
  }
  return filter.from && filter.from > after.createdAt ? filter : { ...filter, after, from: undefined }
}

/** Returns the API key that the filter names, or undefined if the filter names a kind of credentials. */
function keyOf(sentBy: string): string | undefined {
  return sentByKind.safeParse(sentBy).success ? undefined : sentBy
}

function conditionsOf(
  { accountId, state, deviceId, sentBy, approval, from, to, after }: Partial<Bounds>,
  direction: Direction = 'DESC',
): Prisma.Sql[] {
  const all: Prisma.Sql[] = []
  if (accountId !== undefined) all.push(Prisma.sql`account_id = ${accountId}`)
  if (state !== undefined) all.push(Prisma.sql`state = ${state}::message_state`)
  if (deviceId !== undefined) all.push(Prisma.sql`device_id = ${deviceId}`)
  // Literals, and not parameters, are conditions of partial indexes.
  if (sentBy === 'key') all.push(Prisma.sql`sent_by = 'key'`)
  else if (sentBy !== undefined)
    all.push(
      keyOf(sentBy) ? Prisma.sql`sent_by_key_id = ${sentBy}` : Prisma.sql`sent_by = ${sentBy} AND sent_by <> 'key'`,
    )
  if (approval === 'pending') all.push(Prisma.sql`state = 'Pending' AND approval = 'pending'`)
  else if (approval !== undefined) all.push(Prisma.sql`approval = ${approval}`)
  if (from !== undefined) all.push(Prisma.sql`created_at >= ${from}`)
  if (to !== undefined) all.push(Prisma.sql`created_at < ${to}`)
  if (after !== undefined) {
    const beyond = Prisma.raw(direction === 'ASC' ? '>' : '<')
    all.push(Prisma.sql`(created_at, key) ${beyond} (${after.createdAt}, ${after.key})`)
  }
  return all
}
