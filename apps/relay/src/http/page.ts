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
  readonly count: () => Promise<number>
}

/**
 * Returns one page of a list. A page by offset includes the exact total. A page by cursor has no total and is equally
 * fast at any depth. The `Link` header contains the next page by cursor.
 */
export async function readPage<Row extends RowPosition>(
  requested: AskedPage,
  url: string,
  { read, count }: PageReader<Row>,
): Promise<RowPage<Row>> {
  const { limit, cursor } = requested
  const after = cursor === undefined || cursor === START ? undefined : placeOf(cursor)
  const offset = cursor === undefined ? requested.offset : 0
  const found = await read({ after, skip: offset, take: limit + 1 })
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  const isLast = last === undefined && (found.length > 0 || offset === 0)
  const total = cursor !== undefined ? undefined : isLast ? offset + found.length : await count()
  return {
    rows,
    headers: {
      ...(total !== undefined && { 'X-Total-Count': String(total) }),
      ...(last && linkToNext(url, cursorOf(last))),
    },
  }
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
