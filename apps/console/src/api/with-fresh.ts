import type { Page, Pages } from './newest-first.ts'

/** Pages that were read again, by their cursors; the first one always. */
export type ReadAnew<Item> = ReadonlyMap<string | undefined, Page<Item>>

/** More than this on top of pages further back is not kept for somebody who has stopped to read there. */
const mostOnTop = 500

/**
 * The pages with what was read again in its place. What the first page has pushed out stays below it where more pages
 * follow; where so much is new that something may lie between, they are left out and can be asked for again.
 */
export function withFresh<Item>(
  { pages, pageParams }: Pages<Item>,
  readAnew: ReadAnew<Item>,
  idOf: (item: Item) => string,
): Pages<Item> {
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

function idsIn<Item>({ body }: Page<Item>, idOf: (item: Item) => string): ReadonlySet<string> {
  return new Set(body.map(idOf))
}
