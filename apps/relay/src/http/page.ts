import type { ApiError } from './errors/api-error.ts'
import { fieldError } from './errors/validation-error.ts'

/** The position of a row in a list ordered by time, then by key. */
export interface RowPosition {
  readonly createdAt: Date
  readonly key: bigint
}

/** Query parameters of a list. */
export interface AskedPage {
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

export interface RowPage<Row> {
  readonly rows: readonly Row[]
  readonly headers: Readonly<Record<string, string>>
}

/** Reads the rows of a page and one more row. The additional row shows whether there is a next page. */
export interface PageReader<Row extends RowPosition> {
  readonly read: (what: { after: RowPosition | undefined; skip: number; take: number }) => Promise<Row[]>
  readonly count: () => Promise<CountedRows>
  /**
   * Returns the position of the row at an offset, or undefined if the list is shorter. Reads an index only, so it is
   * faster than reading and skipping the rows. Without this function, `read` skips the rows.
   */
  readonly positionAt?: (offset: number) => Promise<RowPosition | undefined>
}

/** The number of rows. `isExact` is false if there may be more rows, because too many rows had to be counted. */
export interface CountedRows {
  readonly count: number
  readonly isExact: boolean
}

/**
 * Rows that are not contained in stored counts are counted one by one, up to this number. Only an index is read, and
 * the page takes at most a third longer than without the total.
 */
export const MOST_COUNTED_ROWS = 2_500

/** The same for rows that have to be read from the table, because no index contains all columns of the filter. */
export const MOST_CHECKED_ROWS = 1_000

/**
 * No limit, for lists whose totals come from stored counts. While the counts are incomplete after an upgrade, these
 * lists count all their rows, so that their totals are always exact.
 */
export const ALL_ROWS = Number.MAX_SAFE_INTEGER - 1

/** Below this offset, reading and skipping the rows is as fast as finding the position. */
const LEAST_DEEP_OFFSET = 500

/**
 * Returns one page of a list. A page by offset includes the total, which is counted while the rows are read. A page by
 * cursor has no total and is equally fast at any depth. The `Link` header contains the next page by cursor.
 */
export async function readPage<Row extends RowPosition>(
  requested: AskedPage,
  url: string,
  { read, count, positionAt }: PageReader<Row>,
): Promise<RowPage<Row>> {
  const { limit, cursor } = requested
  const take = limit + 1
  const after = cursor === undefined || cursor === START ? undefined : placeOf(cursor)
  const offset = cursor === undefined ? requested.offset : 0
  const readDeep = async (find: (offset: number) => Promise<RowPosition | undefined>) => {
    const position = await find(offset - 1)
    return position === undefined ? [] : await read({ after: position, skip: 0, take })
  }
  const [found, counted] = await Promise.all([
    positionAt !== undefined && offset >= LEAST_DEEP_OFFSET
      ? readDeep(positionAt)
      : read({ after, skip: offset, take }),
    cursor === undefined ? count() : undefined,
  ])
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  const isLast = last === undefined && (found.length > 0 || offset === 0)
  const atLeast = offset + found.length
  const total = counted && isLast ? { count: atLeast, isExact: true } : counted
  return {
    rows,
    headers: {
      ...(total && totalHeaders(total, found.length === 0 ? 0 : atLeast)),
      ...(last && linkToNext(url, cursorOf(last))),
    },
  }
}

/** A client that reads pages until the total must also find rows that were not counted or were stored later. */
function totalHeaders({ count, isExact }: CountedRows, atLeast: number): Readonly<Record<string, string>> {
  const isWhole = isExact && count >= atLeast
  return { 'X-Total-Count': String(Math.max(count, atLeast)), ...(!isWhole && { 'X-Total-Count-Exact': 'false' }) }
}

/**
 * Returns the SQL condition for rows after a position. Its first half uses the index. Its second half decides between
 * rows with equal times.
 */
export function olderThan({ createdAt, key }: RowPosition) {
  return { createdAt: { lte: createdAt }, OR: [{ createdAt: { lt: createdAt } }, { key: { lt: key } }] }
}

/** The cursor of the first page, for callers that do not need the total number. */
const START = 'start'

/** Returns the `Link` header with the next page of this URL. */
export function linkToNext(url: string, cursor: string): Links {
  return linksTo(url, { next: cursor })
}

type Links = Readonly<Record<string, string>>

/** Returns the `Link` header with the URLs of the pages at these cursors, or no header if there are no cursors. */
export function linksTo(url: string, cursors: { readonly [rel in 'next' | 'prev']?: string }): Links {
  const [path = '', query = ''] = url.split('?', 2)
  const links = Object.entries(cursors).map(([rel, cursor]) => {
    const search = new URLSearchParams(query)
    for (const replaced of ['offset', 'around']) search.delete(replaced)
    search.set('cursor', cursor)
    return `<${path}?${search}>; rel="${rel}"`
  })
  return links.length === 0 ? {} : { Link: links.join(', ') }
}

export function refusedCursor(): ApiError {
  const message = 'is not a valid cursor: copy it from the Link header of the previous page'
  return fieldError('cursor', message, 'query')
}

/** Parses a time. Returns undefined if PostgreSQL or RFC 3339 cannot represent it. */
export function momentOf(epochMs: string): Date | undefined {
  const moment = new Date(epochMs === '' ? Number.NaN : Number(epochMs))
  return moment >= FIRST && moment < END ? moment : undefined
}

function cursorOf({ createdAt, key }: RowPosition): string {
  return Buffer.from(`${createdAt.getTime()}.${key}`).toString('base64url')
}

function placeOf(cursor: string): RowPosition {
  const [, time = '', key = ''] = /^(-?\d{1,15})\.(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const createdAt = momentOf(time)
  if (!createdAt) throw refusedCursor()
  return { createdAt, key: BigInt(key) }
}

const FIRST = new Date('0001-01-01T00:00:00Z')
const END = new Date('9999-12-31T23:59:59.999Z')
