import { type ApprovalState, sentByKind } from '@smsgw/contract/messages/message'
import { type MessageState, messageStates } from '@smsgw/contract/messages/message-states'
import { countRows, firstRows } from '../http/list-rows-statement.ts'
import type { CountedRows, RowPosition } from '../http/page.ts'
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
 * that begin with the state are sufficient for all filters. With a separate index for each filter, each step of each
 * message would have to write more indexes. A page takes the same time at every depth (`npm run bench`). For one API
 * key, the messages are read in one scan of a separate index.
 */
export async function readHistory(
  statements: Statements,
  filter: HistoryFilter,
  direction: Direction,
  { after, skip, take }: PartOfHistory,
): Promise<StoredMessage[]> {
  const order = Prisma.raw(direction)
  const states = Prisma.sql`${statesOf(filter)}::message_state[]`
  const isOfKey = filter.sentBy !== undefined && keyOf(filter.sentBy) !== undefined
  const scans = isOfKey ? Prisma.sql`(SELECT) AS wanted` : Prisma.sql`unnest(${states}) AS wanted (state)`
  const ofState = isOfKey ? Prisma.sql`state = ANY(${states})` : Prisma.sql`state = wanted.state`
  const scan = Prisma.sql`
    SELECT key, created_at FROM messages
    WHERE ${ofState} AND ${conditions(bounded(filter, direction, after), direction)}
    ORDER BY created_at ${order}, key ${order}`
  return await readRows(
    statements,
    storedMessage,
    Prisma.sql`
    WITH page AS MATERIALIZED (
      SELECT one.key, one.created_at
      FROM ${scans} CROSS JOIN LATERAL (
        ${firstRows(scan, skip + take)}
      ) AS one
      ORDER BY one.created_at ${order}, one.key ${order}
      LIMIT ${take} OFFSET ${skip}
    )
    SELECT ${storedMessageColumns}
    FROM page JOIN messages m ON m.key = page.key
    ORDER BY page.created_at ${order}, page.key ${order}`,
  )
}

/** Counts messages. With a filter that the stored counts do not support, counts the rows one by one, up to `most`. */
export function countHistory(statements: Statements, filter: HistoryFilter, most?: number): Promise<CountedRows> {
  const counted = countFilterOf(filter)
  if (counted !== undefined) return countMessages(statements, counted, most)
  const isOfState = Prisma.sql`state = ANY(${statesOf(filter)}::message_state[])`
  return countRows(statements, Prisma.sql`messages WHERE ${isOfState} AND ${conditions(filter, 'ASC')}`, most)
}

/** Returns the filter for the stored counts, or undefined for a filter that they do not support. */
export function countFilterOf(filter: HistoryFilter): CountFilter | undefined {
  const { accountId, deviceId, from, to, hasFailed, sentBy, approval } = filter
  if (hasFailed === true || sentBy !== undefined || approval !== undefined) return undefined
  return { accountId, states: statesOf(filter), deviceId, from, to }
}

/** Selects only pending messages, because no other message can be approved. */
function statesOf({ state, approval }: HistoryFilter): MessageState[] {
  if (approval === 'pending') return state === undefined || state === 'Pending' ? ['Pending'] : []
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

function conditions(
  { accountId, deviceId, from, to, hasFailed, sentBy, approval, after }: Bounds,
  direction: Direction,
): Prisma.Sql {
  const all = [Prisma.sql`account_id = ${accountId}`]
  if (deviceId !== undefined) all.push(Prisma.sql`device_id = ${deviceId}`)
  if (sentBy !== undefined)
    all.push(keyOf(sentBy) ? Prisma.sql`sent_by_key_id = ${sentBy}` : Prisma.sql`sent_by = ${sentBy}`)
  // Written as a literal and not as a parameter, because it is the condition of a partial index.
  if (approval === 'pending') all.push(Prisma.sql`state = 'Pending' AND approval = 'pending'`)
  else if (approval !== undefined) all.push(Prisma.sql`approval = ${approval}`)
  if (from !== undefined) all.push(Prisma.sql`created_at >= ${from}`)
  if (hasFailed === true)
    all.push(Prisma.sql`
      key IN (SELECT message_key FROM recipients WHERE account_id = ${accountId} AND state = 'Failed')`)
  if (to !== undefined) all.push(Prisma.sql`created_at < ${to}`)
  if (after !== undefined) {
    const beyond = Prisma.raw(direction === 'ASC' ? '>' : '<')
    all.push(Prisma.sql`(created_at, key) ${beyond} (${after.createdAt}, ${after.key})`)
  }
  return Prisma.join(all, ' AND ')
}
