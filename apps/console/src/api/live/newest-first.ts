// Lists with pages, newest first, that change while they are shown. New entries come first, and old entries change
// rarely. So a change reloads only the first page and the pages with changed entries. Reloading all pages of a list
// that was scrolled far back would cost one request per page each second.
import {
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FetchedAnswer } from '../request/ask.ts'

type Cursor = string | undefined
export type ListPage<Item> = FetchedAnswer<readonly Item[]>
export type ListPages<Item> = InfiniteData<ListPage<Item>, Cursor>

export interface NewestFirst<Item> {
  readonly queryKey: QueryKey
  readonly firstCursor?: string
  readonly read: (cursor: Cursor, signal?: AbortSignal) => Promise<ListPage<Item>>
  /** Returns the unique name of an item. */
  readonly idOf: (item: Item) => string
  /** Returns the name that events use for an item. */
  readonly nameOf: (item: Item) => string
  /** True if the previous list is shown while another list is loaded. */
  readonly keepsPrevious?: boolean
  /** True if there may be pages that are newer than the first page. */
  readonly startsInside?: boolean
}

export function useNewestFirst<Item>(list: NewestFirst<Item>): UseInfiniteQueryResult<ListPages<Item>> {
  const client = useQueryClient()
  const key = JSON.stringify(list.queryKey)
  const isNewestFirst = !list.startsInside
  useEffect(() => {
    if (!isNewestFirst) return () => client.removeQueries({ queryKey: JSON.parse(key), exact: true })
  }, [client, key, isNewestFirst])
  return useInfiniteQuery({
    queryKey: list.queryKey,
    initialPageParam: list.firstCursor as Cursor,
    queryFn: ({ pageParam, signal }) => list.read(pageParam, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    getPreviousPageParam: ({ prevCursor }) => prevCursor,
    refetchOnWindowFocus: false,
    ...(list.keepsPrevious && { placeholderData: (before: ListPages<Item> | undefined) => before }),
    meta: { newestFirst: list },
  })
}

/** Invalidates the queries with these prefixes and reloads visible lists. `named` holds the names of changed items. */
export async function refresh(
  client: QueryClient,
  keys: readonly QueryKey[],
  named: ReadonlySet<string> = new Set(),
): Promise<void> {
  const queries = keys.flatMap((queryKey) => client.getQueryCache().findAll({ queryKey }))
  await Promise.all(
    [...new Set(queries)].map(async (query) => {
      const list = query.meta?.['newestFirst'] as NewestFirst<unknown> | undefined
      if (list === undefined || query.state.data === undefined || !query.isActive()) await invalidate(client, query)
      else await readAnew(client, query, list, named)
    }),
  )
}

/**
 * The first request of a query may have been answered before the change. TanStack Query would not repeat this request,
 * so the invalidation waits until it has ended.
 */
export async function invalidate(client: QueryClient, query: Query): Promise<void> {
  const { data, fetchStatus } = query.state
  if (data === undefined && fetchStatus === 'fetching') await query.promise?.catch(() => undefined)
  await client.invalidateQueries({ queryKey: query.queryKey, exact: true })
}

async function readAnew(
  client: QueryClient,
  query: Query,
  list: NewestFirst<unknown>,
  named: ReadonlySet<string>,
): Promise<void> {
  const { queryKey } = query
  try {
    const { pages, pageParams } = query.state.data as ListPages<unknown>
    const cursors = pageParams.filter(
      (_, at) => at === 0 || pages[at]?.body.some((item) => named.has(list.nameOf(item))),
    )
    const fresh: ReadAnew<unknown> = new Map(
      await Promise.all(cursors.map(async (cursor) => [cursor, await list.read(cursor)] as const)),
    )
    await untilAnswered(client, query)
    client.setQueryData<ListPages<unknown>>(queryKey, (now) => now && withFresh(now, fresh, list.idOf))
  } catch {
    // A regular reload shows the error and offers a retry.
    await invalidate(client, query)
  }
}

/**
 * Waits for a running request, because it would overwrite the newer data. The request of a query that was removed from
 * the cache never counts as answered. Each round has a pause, because the page would hang in rounds without one.
 */
async function untilAnswered(client: QueryClient, query: Query): Promise<void> {
  while (query.state.fetchStatus === 'fetching' && client.getQueryCache().get(query.queryHash) === query) {
    await query.promise?.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/**
 * Drops the later pages of a list when a link opens it, because the list then starts at the top. Keeps them when
 * the browser goes back, because the list then opens at its previous position.
 */
export function forgetPagesOnLinks(client: QueryClient): () => void {
  const forget = () => {
    for (const { meta, queryKey } of client.getQueryCache().findAll({ type: 'inactive' }))
      if (meta?.['newestFirst'] !== undefined) forgetLaterPages(client, queryKey)
  }
  // The router dispatches this event. This listener runs in the capture phase, so that it runs before the listener of
  // the router, which renders the next page.
  addEventListener('pushState', forget, true)
  return () => removeEventListener('pushState', forget, true)
}

function forgetLaterPages(client: QueryClient, queryKey: QueryKey): void {
  const updatedAt = client.getQueryState(queryKey)?.dataUpdatedAt
  client.setQueryData<ListPages<unknown>>(
    queryKey,
    (now) => now && { pages: now.pages.slice(0, 1), pageParams: now.pageParams.slice(0, 1) },
    updatedAt === undefined ? {} : { updatedAt },
  )
}

/** Reloaded pages by cursor, always including the first page. */
type ReadAnew<Item> = ReadonlyMap<string | undefined, ListPage<Item>>

/** If the first page has grown by more entries than this, the pages below it are dropped. */
const mostOnTop = 500

/**
 * Replaces reloaded pages. Entries that no longer fit on the first page are kept below it if more pages follow. If
 * entries may be missing between two pages, the later pages are dropped and can be loaded again.
 */
export function withFresh<Item>(
  { pages, pageParams }: ListPages<Item>,
  readAnew: ReadAnew<Item>,
  idOf: (item: Item) => string,
): ListPages<Item> {
  const top = readAnew.get(pageParams[0])
  const onTop = pages[0]
  if (top === undefined || onTop === undefined) return { pages, pageParams }
  const isFresh = idsIn(top, idOf)
  const lastKnown = onTop.body.findLastIndex((item) => isFresh.has(idOf(item)))
  const isAlone = pages.length === 1 || top.nextCursor === undefined
  if (isAlone || lastKnown === -1 || onTop.body.length > mostOnTop)
    return { pages: [top], pageParams: pageParams.slice(0, 1) }
  const first = { body: [...top.body, ...onTop.body.slice(lastKnown + 1)], nextCursor: onTop.nextCursor }
  const taken = idsIn(first, idOf)
  const others = pages.slice(1).map((page, at) => {
    const { body, nextCursor } = readAnew.get(pageParams[at + 1]) ?? page
    return body.some((item) => taken.has(idOf(item)))
      ? { body: body.filter((item) => !taken.has(idOf(item))), nextCursor }
      : (readAnew.get(pageParams[at + 1]) ?? page)
  })
  return { pages: [first, ...others], pageParams }
}

function idsIn<Item>({ body }: ListPage<Item>, idOf: (item: Item) => string): ReadonlySet<string> {
  return new Set(body.map(idOf))
}
