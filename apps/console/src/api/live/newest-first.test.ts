import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import type { FetchedAnswer } from '../request/ask.ts'
import { forgetPagesOnLinks, type ListPages, type NewestFirst, refresh } from './newest-first.ts'

const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  client.clear()
  vi.unstubAllGlobals()
})

/** A list of numbers in pages of two numbers. A person has loaded the given number of pages by scrolling. */
async function listOf(items: number[], pages: number) {
  const asked: (string | undefined)[] = []
  const read = async (cursor: string | undefined): Promise<FetchedAnswer<readonly number[]>> => {
    asked.push(cursor)
    const start = cursor === undefined ? 0 : items.findIndex((item) => item < Number(cursor))
    const body = items.slice(start, start + 2)
    return { body, nextCursor: start + 2 < items.length ? String(body.at(-1)) : undefined }
  }
  const list: NewestFirst<number> = { queryKey: ['list'], read, idOf: String, nameOf: String }
  const observer = new InfiniteQueryObserver<
    FetchedAnswer<readonly number[]>,
    Error,
    ListPages<number>,
    string[],
    string | undefined
  >(client, {
    queryKey: ['list'],
    initialPageParam: undefined,
    queryFn: ({ pageParam }) => read(pageParam),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    meta: { newestFirst: list },
  })
  const stop = observer.subscribe(() => undefined)
  stops.push(stop)
  await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true)
  for (let page = 1; page < pages; page++) await observer.fetchNextPage()
  asked.splice(0)
  const shown = () => client.getQueryData<ListPages<number>>(['list'])?.pages.flatMap(({ body }) => body)
  return { asked, shown, stop, observer }
}

test('a new entry costs one request, even if the list was scrolled far back', async () => {
  const items = [8, 7, 6, 5, 4, 3]
  const { asked, shown } = await listOf(items, 3)
  items.unshift(9)
  await refresh(client, [['list']])
  expect(asked).toEqual([undefined])
  expect(shown()).toEqual([9, 8, 7, 6, 5, 4, 3])
})

test('a changed entry also reloads its page', async () => {
  const { asked } = await listOf([8, 7, 6, 5, 4, 3], 3)
  await refresh(client, [['list']], new Set(['4']))
  expect(asked).toEqual([undefined, '5'])
})

test('a list that is not shown is reloaded when it is shown again', async () => {
  const { asked, stop } = await listOf([4, 3, 2, 1], 2)
  stop()
  await refresh(client, [['list']])
  expect(asked).toEqual([])
  expect(client.getQueryState(['list'])?.isInvalidated).toBe(true)
})

test('a change during the first request of a query is not lost', async () => {
  const answers: ((count: number) => void)[] = []
  const observer = new QueryObserver(client, {
    queryKey: ['unread'],
    queryFn: () => new Promise<number>((answer) => answers.push(answer)),
  })
  stops.push(observer.subscribe(() => undefined))
  const refreshed = refresh(client, [['unread']])
  answers[0]?.(0)
  await expect.poll(() => answers).toHaveLength(2)
  answers[1]?.(1)
  await refreshed
  expect(client.getQueryData(['unread'])).toBe(1)
})

// If the wait had no pause, this test would hang and not fail.
test('a list that is removed during its request is no longer waited for', async () => {
  const items = [8, 7, 6, 5, 4, 3]
  const { observer } = await listOf(items, 1)
  const query = client.getQueryCache().find({ queryKey: ['list'] })
  void observer.fetchNextPage()
  expect(query?.state.fetchStatus).toBe('fetching')
  const refreshed = refresh(client, [['list']])
  client.removeQueries({ queryKey: ['list'] })
  await refreshed
  expect(query?.state.fetchStatus).toBe('fetching')
})

test('a link drops the later pages of lists that are not shown, and Back keeps them', async () => {
  const events = new EventTarget()
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  const { shown, stop } = await listOf([4, 3, 2, 1], 2)
  stops.push(forgetPagesOnLinks(client))
  events.dispatchEvent(new Event('pushState'))
  expect(shown()).toEqual([4, 3, 2, 1])
  stop()
  events.dispatchEvent(new Event('popstate'))
  expect(shown()).toEqual([4, 3, 2, 1])
  events.dispatchEvent(new Event('pushState'))
  expect(shown()).toEqual([4, 3])
})
