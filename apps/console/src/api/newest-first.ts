// Lists that are read page by page, the newest on top, and that change while they are looked at. What is new comes on top
// and what is old changes rarely: so the first page is read anew, and of the others those that hold what is said to have
// changed. To read all of them again, as a list usually is, would cost whoever has scrolled far back a request for each page,
// and that every second.
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
import type { Answer } from './ask.ts'
import { type ReadAnew, withFresh } from './with-fresh.ts'

type Cursor = string | undefined
export type Page<Item> = Answer<readonly Item[]>
export type Pages<Item> = InfiniteData<Page<Item>, Cursor>

export interface NewestFirst<Item> {
  readonly queryKey: QueryKey
  readonly firstCursor?: string
  readonly read: (cursor: Cursor, signal?: AbortSignal) => Promise<Page<Item>>
  /** What tells an item from all others. */
  readonly idOf: (item: Item) => string
  /** What events call it. */
  readonly nameOf: (item: Item) => string
  /** While something else is read what was there is shown. */
  readonly keepsPrevious?: boolean
}

export function useNewestFirst<Item>(list: NewestFirst<Item>): UseInfiniteQueryResult<Pages<Item>> {
  const client = useQueryClient()
  const key = JSON.stringify(list.queryKey)
  // Who comes back begins at the top again.
  useEffect(() => () => forgetLaterPages(client, JSON.parse(key)), [client, key])
  return useInfiniteQuery({
    queryKey: list.queryKey,
    initialPageParam: list.firstCursor as Cursor,
    queryFn: ({ pageParam, signal }) => list.read(pageParam, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchOnWindowFocus: false,
    ...(list.keepsPrevious && { placeholderData: (before: Pages<Item> | undefined) => before }),
    meta: { newestFirst: list },
  })
}

/** Makes old what these keys begin with, and reads anew what is being looked at. `named`: what is said to have changed. */
export async function refresh(
  client: QueryClient,
  keys: readonly QueryKey[],
  named: ReadonlySet<string> = new Set(),
): Promise<void> {
  const queries = keys.flatMap((queryKey) => client.getQueryCache().findAll({ queryKey }))
  await Promise.all(
    [...new Set(queries)].map(async (query) => {
      const list = query.meta?.['newestFirst'] as NewestFirst<unknown> | undefined
      const { queryKey } = query
      if (list === undefined || query.state.data === undefined || !query.isActive())
        await client.invalidateQueries({ queryKey, exact: true })
      else await readAnew(client, query, list, named)
    }),
  )
}

async function readAnew(
  client: QueryClient,
  query: Query,
  list: NewestFirst<unknown>,
  named: ReadonlySet<string>,
): Promise<void> {
  const { queryKey } = query
  try {
    const { pages, pageParams } = query.state.data as Pages<unknown>
    const cursors = pageParams.filter(
      (_, at) => at === 0 || pages[at]?.body.some((item) => named.has(list.nameOf(item))),
    )
    const fresh: ReadAnew<unknown> = new Map(
      await Promise.all(cursors.map(async (cursor) => [cursor, await list.read(cursor)] as const)),
    )
    // What is on its way would be put over what is new.
    while (query.state.fetchStatus === 'fetching') await query.promise?.catch(() => undefined)
    client.setQueryData<Pages<unknown>>(queryKey, (now) => now && withFresh(now, fresh, list.idOf))
  } catch {
    // Asked in the usual way it tells what is wrong, and what to do about it.
    await client.invalidateQueries({ queryKey, exact: true })
  }
}

function forgetLaterPages(client: QueryClient, queryKey: QueryKey): void {
  const updatedAt = client.getQueryState(queryKey)?.dataUpdatedAt
  client.setQueryData<Pages<unknown>>(
    queryKey,
    (now) => now && { pages: now.pages.slice(0, 1), pageParams: now.pageParams.slice(0, 1) },
    updatedAt === undefined ? {} : { updatedAt },
  )
}
