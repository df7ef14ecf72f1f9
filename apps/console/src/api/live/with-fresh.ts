import type { ListPage, ListPages } from './newest-first.ts'

/** Reloaded pages by cursor, always including the first page. */
export type ReadAnew<Item> = ReadonlyMap<string | undefined, ListPage<Item>>

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
