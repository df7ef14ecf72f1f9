import {
  defaultRangeExtractor,
  measureElement,
  type Range,
  useVirtualizer,
  useWindowVirtualizer,
  type VirtualItem,
} from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import './windowed-list.css'

interface Windowed<Item> {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item, at: number) => string
  readonly draw: (item: Item, at: number) => ListItem
  /** Lists with the same class name share the heights of their items. */
  readonly className: string
  readonly label?: string
  /** The usual height of an item, used until the item has been drawn. */
  readonly itemHeight: number
  /** The element that scrolls. If left out, the window scrolls. */
  readonly scroll?: RefObject<HTMLElement | null>
  /** Key of the item that is kept in view. */
  readonly current?: string | undefined
  /** True if no more items can be loaded. */
  readonly isComplete?: boolean
}

interface ListItem {
  readonly children: ReactNode
  readonly className?: string
  readonly [attribute: `data-${string}`]: string | undefined
}

/** How many items on each side of the visible part also have elements. */
const OVERSCAN = 25

/** A list of any length. Only the items near the visible part have elements. */
export function WindowedList<Item>({ scroll, ...list }: Windowed<Item>) {
  return scroll === undefined ? <ListInWindow {...list} /> : <ListInElement {...list} scroll={scroll} />
}

function ListInWindow<Item>(list: Windowed<Item>) {
  const [place, options] = useOptions(list, () => scrollY)
  return (
    <Drawn
      list={list}
      place={place}
      virtual={useWindowVirtualizer<HTMLLIElement>(options)}
      margin={options.scrollMargin}
    />
  )
}

function ListInElement<Item>(list: Windowed<Item> & { readonly scroll: RefObject<HTMLElement | null> }) {
  const [place, options] = useOptions(list, () => list.scroll.current?.scrollTop ?? 0, list.scroll)
  const virtual = useVirtualizer<HTMLElement, HTMLLIElement>({
    ...options,
    getScrollElement: () => list.scroll.current,
  })
  return <Drawn list={list} place={place} virtual={virtual} margin={options.scrollMargin} />
}

/**
 * The heights of items, by class name. When the browser's Back button opens a list again, these heights give the list
 * its previous height.
 */
const heights = new Map<string, VirtualItem[]>()

function useOptions<Item>(
  { items, keyOf, itemHeight, className }: Windowed<Item>,
  scrolledBy: () => number,
  scroll?: RefObject<HTMLElement | null>,
) {
  const place = useRef<HTMLUListElement>(null)
  const [scrollMargin, setMargin] = useState(0)
  // Runs after each render, because the content above the list may have another height.
  useLayoutEffect(() => {
    const top = place.current?.getBoundingClientRect().top ?? 0
    const margin = Math.round(top - (scroll?.current?.getBoundingClientRect().top ?? 0) + scrolledBy())
    if (place.current?.offsetParent != null) setMargin(margin)
  })
  const options = {
    count: items.length,
    estimateSize: () => itemHeight,
    overscan: OVERSCAN,
    scrollMargin,
    initialMeasurementsCache: heights.get(className) ?? [],
    // Keeps the visible part in place when new items are added above it. At the top of the list, new items are shown at
    // once.
    anchorTo: scrolledBy() > scrollMargin ? ('end' as const) : ('start' as const),
    useFlushSync: false,
    // Keeps the heights of the items while the list is not displayed.
    measureElement: ((element, entry, list) => {
      const height = measureElement(element, entry, list)
      return height > 0 ? height : (list.measurementsCache[list.indexFromElement(element)]?.size ?? itemHeight)
    }) satisfies typeof measureElement<HTMLLIElement>,
    getItemKey: (at: number) => {
      const item = items[at]
      return item === undefined ? at : keyOf(item, at)
    },
    rangeExtractor: (range: Range) => withFocused(defaultRangeExtractor(range), place.current),
  }
  return [place, options] as const
}

/** Also keeps the element with the focus, so that the focus is not lost. */
function withFocused(shown: number[], list: HTMLElement | null): number[] {
  const item = list?.contains(document.activeElement) ? document.activeElement?.closest('[data-index]') : null
  const focused = Number(item?.getAttribute('data-index') ?? -1)
  return focused < 0 || shown.includes(focused) ? shown : [...shown, focused].sort((one, other) => one - other)
}

type Virtual = Pick<
  ReturnType<typeof useWindowVirtualizer<HTMLLIElement>>,
  'getTotalSize' | 'getVirtualItems' | 'measureElement' | 'scrollToIndex' | 'takeSnapshot'
>

function Drawn<Item>({
  list: { items, keyOf, draw, className, label, current, isComplete = true },
  place,
  virtual,
  margin,
}: {
  readonly list: Windowed<Item>
  readonly place: RefObject<HTMLUListElement | null>
  readonly virtual: Virtual
  readonly margin: number
}) {
  const at = current === undefined ? -1 : items.findIndex((item, index) => keyOf(item, index) === current)
  const hasCurrent = at >= 0
  // A ref, because the list must scroll only when another item becomes current, and not when new items change the
  // position of the current item.
  const latest = useRef(at)
  latest.current = at
  useEffect(() => {
    if (current !== undefined && hasCurrent) virtual.scrollToIndex(latest.current, { align: 'auto' })
  }, [virtual, current, hasCurrent])
  useEffect(() => () => void heights.set(className, virtual.takeSnapshot()), [virtual, className])
  return (
    <div className={className}>
      <ul ref={place} className="windowed-list" aria-label={label} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index]
          if (item === undefined) return null
          const { children, className: itemClass = '', ...attributes } = draw(item, index)
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={isComplete ? items.length : -1}
              className={`windowed-list-item ${itemClass}`}
              style={{ transform: `translateY(${start - margin}px)` }}
              {...attributes}
            >
              {children}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
