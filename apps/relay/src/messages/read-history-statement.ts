import { type ApprovalState, sentByKind } from '@smsgw/contract/messages/message'
import { type MessageState, messageStates } from '@smsgw/contract/messages/message-states'
import { allOf, countRows, firstOf, firstRows, type ScannedRows } from '../http/list-rows-statement.ts'
import { type CountedRows, MOST_CHECKED_ROWS, MOST_COUNTED_ROWS, type RowPosition } from '../http/page.ts'
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
 * approvals have indexes of their own, because the messages of one sender may be rare, and so have messages of which
 * some recipients failed. If a filter selects few messages, which are far apart, all of them are read and sorted.
 */
export async function readHistory(
  statements: Statements,
  filter: HistoryFilter,
  direction: Direction,
  { after, skip, take }: PartOfHistory,
): Promise<StoredMessage[]> {
  const order = Prisma.raw(direction)
  const reading: Reading = {
    isWithin: (bounds) => allOf(conditionsOf(bounded(bounds, direction, after), direction)),
    inOrder: Prisma.sql`ORDER BY created_at ${order}, key ${order}`,
    rows: skip + take,
  }
  const { isWithin, inOrder } = reading
  const inScans = scansInOrder(filter, reading)
  const few = fewRows(filter)
  // OFFSET 0 makes PostgreSQL read each of the few messages by its key, whatever it expects of the other conditions.
  const rows =
    few === undefined
      ? inScans
      : Prisma.sql`
        SELECT key, created_at FROM (SELECT DISTINCT key AS few_key FROM (${few}) AS every) AS one CROSS JOIN LATERAL (
          SELECT * FROM messages WHERE key = few_key OFFSET 0) AS m
        WHERE (SELECT is_few FROM size) AND ${isWithin(filter)}
        UNION ALL
        SELECT * FROM (${inScans}) AS many WHERE (SELECT NOT is_few FROM size)`
  // Most senders have many messages. So their keys are counted without storing them, and few keys are read again.
  const size =
    few === undefined
      ? Prisma.empty
      : Prisma.sql`size AS MATERIALIZED (SELECT count(*) <= ${MOST_FEW} AS is_few FROM (${few}) AS counted),`
  return await readRows(
    statements,
    storedMessage,
    Prisma.sql`
    WITH ${size}
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
  const parts = scansOf(filter).map(({ scans, isOfScan, others }) => {
    const scan = Prisma.sql`SELECT key, created_at FROM messages WHERE ${isOfScan} AND ${isWithin(others)} ${inOrder}`
    return Prisma.sql`SELECT one.key, one.created_at FROM ${scans} CROSS JOIN LATERAL (${firstRows(scan, rows)}) AS one`
  })
  return Prisma.join(parts, ' UNION ALL ')
}

interface Scans {
  /** Rows, one for each scan. */
  readonly scans: Prisma.Sql
  /** The condition of each scan. */
  readonly isOfScan: Prisma.Sql
}

interface FilteredScans extends Scans {
  /** The filters that the condition does not contain. */
  readonly others: HistoryFilter
}

/** Selects index scans that together contain all messages of a filter. */
function scansOf(filter: HistoryFilter): readonly FilteredScans[] {
  const { accountId, sentBy, approval } = filter
  if (approval === undefined && (sentBy === undefined || isScannedByState(filter))) {
    const others = { ...filter, state: undefined, hasFailed: undefined, sentBy: undefined }
    const isSent = sentBy === undefined ? Prisma.empty : Prisma.sql`AND ${isSentBy(sentBy)}`
    return scansByState(filter).map(({ scans, isOfScan }) => ({
      ...{ scans, others },
      isOfScan: Prisma.sql`${isOfScan} ${isSent}`,
    }))
  }
  if (approval === undefined && sentBy === 'key') {
    const isOfScan = Prisma.sql`sent_by_key_id = wanted.key_id`
    return [{ scans: keysOf(accountId), isOfScan, others: { ...filter, sentBy: undefined } }]
  }
  return [{ scans: Prisma.sql`(SELECT) AS wanted`, isOfScan: Prisma.sql`true`, others: filter }]
}

/** Returns true if the indexes that begin with the state contain a filter for which other messages are not read. */
function isScannedByState({ state, deviceId, hasFailed }: HistoryFilter): boolean {
  return state !== undefined || deviceId !== undefined || hasFailed === true
}

/** Selects the messages of each state, or those with failed recipients. */
function scansByState(filter: HistoryFilter): readonly Scans[] {
  if (filter.hasFailed !== true) return [scanOf(statesOf(filter))]
  return [...(filter.state === undefined || filter.state === 'Failed' ? [scanOf(['Failed'])] : []), ...marked(filter)]
}

/** Selects the messages of which some recipients failed. Their mark is used in each state but Failed. */
function marked(filter: HistoryFilter): readonly Scans[] {
  const states = statesOf(filter).filter((one) => one !== 'Failed')
  const { scans, isOfScan } = scanOf(states)
  return states.length === 0 ? [] : [{ scans, isOfScan: Prisma.sql`${isOfScan} AND is_partly_failed` }]
}

function scanOf(states: readonly MessageState[]): Scans {
  return {
    scans: Prisma.sql`unnest(${[...states]}::message_state[]) AS wanted (state)`,
    isOfScan: Prisma.sql`state = wanted.state`,
  }
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
  const { accountId, sentBy, approval, from, to } = filter
  if (approval !== undefined || sentBy === undefined || !isScannedByState(filter)) return undefined
  const { rows } = scannedRows({ accountId, sentBy, from, to })
  return Prisma.sql`SELECT key FROM ${rows} ${firstOf(MOST_FEW + 1)}`
}

/**
 * Counts messages. With a filter that the stored counts do not support, counts the rows one by one and reads at most
 * `most` rows.
 */
export async function countHistory(statements: Statements, filter: HistoryFilter, most?: number): Promise<CountedRows> {
  const counted = countFilterOf(filter)
  if (counted !== undefined) return await countMessages(statements, counted, most)
  const ofFailed = countFilterOf({ ...filter, state: filter.state ?? 'Failed' })
  if (ofFailed === undefined) return await countRows(statements, scannedRows(filter), most)
  // The stored counts contain the messages whose recipients have all failed, but not the marked messages.
  // With the same limit for both, a list of a period would count twice as many rows as other lists.
  return await countMessages(statements, ofFailed, most ?? MOST_CHECKED_ROWS, failedRows(marked(filter), filter))
}

/** Selects the rows with the narrowest filter that an index supports. Other filters are checked for each row. */
function scannedRows(filter: HistoryFilter): ScannedRows {
  const { accountId, hasFailed, approval, sentBy, from, to, ...others } = filter
  if (approval !== undefined) {
    const filters = conditionsOf({ accountId, approval, from, to })
    return {
      rows: Prisma.sql`messages WHERE ${allOf(filters)} ${NEWEST_FIRST}`,
      matches: allOf(conditionsOf({ ...others, hasFailed, sentBy })),
    }
  }
  if (hasFailed === true)
    return { rows: failedRows(scansByState(filter), filter), matches: allOf(conditionsOf({ sentBy })) }
  const matches = allOf(conditionsOf(others))
  if (sentBy !== 'key') {
    const filters = conditionsOf({ accountId, sentBy, from, to })
    return { rows: Prisma.sql`messages WHERE ${allOf(filters)} ${NEWEST_FIRST}`, matches }
  }
  const filters = conditionsOf({ accountId, from, to })
  const rows = Prisma.sql`${keysOf(accountId)} CROSS JOIN LATERAL (
    SELECT * FROM messages WHERE sent_by_key_id = wanted.key_id AND ${allOf(filters)}
    ${NEWEST_FIRST} ${firstOf(MOST_COUNTED_ROWS + 1)}) AS of_key`
  return { rows, matches }
}

/** This order makes PostgreSQL use an index and stop at a limit. */
const NEWEST_FIRST = Prisma.sql`ORDER BY created_at DESC, key DESC`

/** Selects messages with failed recipients. Names only columns that conditions need, so that an index is sufficient. */
function failedRows(scans: readonly Scans[], { accountId, deviceId, from, to }: HistoryFilter): Prisma.Sql {
  const isWithin = allOf(conditionsOf({ accountId, deviceId, from, to }))
  const parts = scans.map(
    (one) => Prisma.sql`
    SELECT of_state.* FROM ${one.scans} CROSS JOIN LATERAL (
      SELECT sent_by, sent_by_key_id FROM messages WHERE ${one.isOfScan} AND ${isWithin}
      ${NEWEST_FIRST} ${firstOf(MOST_COUNTED_ROWS + 1)}) AS of_state`,
  )
  return Prisma.sql`(${Prisma.join(parts, ' UNION ALL ')}) AS failed`
}

/** The API keys of an account, which are few. Each of them has its own part of an index of messages. */
function keysOf(accountId: string): Prisma.Sql {
  return Prisma.sql`(SELECT id AS key_id FROM api_keys WHERE account_id = ${accountId}) AS wanted`
}

/** Returns the filter for the stored counts, or undefined for a filter that they do not support. */
export function countFilterOf(filter: HistoryFilter): CountFilter | undefined {
  const { accountId, state, deviceId, from, to, hasFailed, sentBy, approval } = filter
  if ((hasFailed === true && state !== 'Failed') || sentBy !== undefined || approval !== undefined) return undefined
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
  { accountId, state, deviceId, hasFailed, sentBy, approval, from, to, after }: Partial<Bounds>,
  direction: Direction = 'DESC',
): Prisma.Sql[] {
  const all: Prisma.Sql[] = []
  if (accountId !== undefined) all.push(Prisma.sql`account_id = ${accountId}`)
  if (state !== undefined) all.push(Prisma.sql`state = ${state}::message_state`)
  if (deviceId !== undefined) all.push(Prisma.sql`device_id = ${deviceId}`)
  if (hasFailed === true) all.push(Prisma.sql`(state = 'Failed' OR is_partly_failed)`)
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
